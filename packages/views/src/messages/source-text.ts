import type { HealthAction, ProviderId, Snapshot } from '@svc/core'
import { allAccountsOf } from '@svc/core/pool'
import type { Wording } from './wording.ts'

/** One line with the source and age of the numbers. */
export function snapshotSourceText(snapshot: Snapshot, text: Wording): string {
  const { source, sampledAt, evaluatedAt } = snapshot
  const { countedAccountsText, snapshotSource } = text.words
  switch (source) {
    case 'live':
      return snapshotSource.live({
        accounts: countedAccountsText(providersIn(snapshot)),
        readAt: sampledAt === null ? null : text.justNowText(sampledAt, evaluatedAt),
      })
    case 'partial':
      return snapshotSource.partial(failedSourceNames(snapshot, text))
    case 'stale':
      return snapshotSource.stale(sampledAt === null ? null : text.whenText(sampledAt, evaluatedAt))
    case 'unavailable':
      return snapshotSource.unavailable(missingPiece(snapshot, text))
    case 'demo':
      return snapshotSource.demo(allAccountsOf(snapshot).length)
    default:
      return source satisfies never
  }
}

export function providersIn(snapshot: Snapshot): readonly ProviderId[] {
  return allAccountsOf(snapshot).map(({ account }) => account.provider)
}

function failedSourceNames({ health }: Snapshot, { words }: Wording): readonly string[] {
  const failed = health.sources.filter(({ outcome }) => outcome.kind === 'failed')
  return [...new Set(failed.map(({ id }) => words.sourceRows[id].title))]
}

/** Input that the first reading still lacks, for example a management key. */
export function missingPiece(snapshot: Snapshot, text: Wording): string {
  const pieces = snapshot.health.actions.map(({ action }) => missingPieceOf(action, snapshot, text))
  return pieces.find((piece) => piece !== null) ?? text.words.snapshotSource.missing.anything
}

function missingPieceOf(action: HealthAction, snapshot: Snapshot, text: Wording): string | null {
  const { missing } = text.words.snapshotSource
  switch (action.code) {
    case 'management_key_missing':
      return missing.key
    case 'management_key_unreadable':
      return missing.keyFile
    case 'management_key_refused':
      return action.failure === 'unauthorized' ? missing.keyAccepted : missing.access
    case 'management_banned':
      return missing.banEnd(text.momentText(action.until, snapshot.evaluatedAt))
    default:
      return null
  }
}
