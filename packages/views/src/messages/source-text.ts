import type { HealthAction, ProviderId, Snapshot } from '@svc/core'
import { capitalised, countedText, countText, type Zone } from '../format/format.ts'
import { countedAccountsText } from './en/provider-names.ts'
import { sourceName } from './en/source-rows.ts'

/** Other providers named one by one; the rest is added up. */
const NAMED_PROVIDERS_MAX = 5

/** One honest line on where the numbers come from and of when they are. */
export function snapshotSourceText(snapshot: Snapshot, text: Zone): string {
  const { source, sampledAt, evaluatedAt } = snapshot
  switch (source) {
    case 'live': {
      const read = sampledAt === null ? '' : `, read ${text.justNowText(sampledAt, evaluatedAt)}`
      return `Live: ${countedAccountsText(providersIn(snapshot))}${read}`
    }
    case 'partial':
      return `Partly live: ${failedSourceNames(snapshot)} failed`
    case 'stale':
      return sampledAt === null
        ? 'Old account list'
        : `Old account list: the proxy last answered ${text.whenText(sampledAt, evaluatedAt)}`
    case 'unavailable':
      return `No data yet: ${missingPiece(snapshot, text)}`
    case 'demo':
      return `Demo: ${countedText(snapshot.accounts.length, 'sample account')}`
    default:
      return source satisfies never
  }
}

/** The provider of each account. */
export function providersIn({ accounts }: Snapshot): readonly ProviderId[] {
  return accounts.map(({ account }) => account.provider)
}

/** `3 Claude, 1 Gemini accounts are not watched`; null when every account is. */
export function unwatchedText(otherProviders: ReadonlyMap<string, number>): string | null {
  const counts = [...otherProviders]
    .filter(([, count]) => count > 0)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  if (total === 0) return null
  const named = counts.slice(0, NAMED_PROVIDERS_MAX)
  const restCount = total - named.reduce((sum, [, count]) => sum + count, 0)
  const parts = named.map(([provider, count]) => `${countText(count)} ${capitalised(provider)}`)
  if (restCount > 0) parts.push(`${countText(restCount)} other`)
  return `${parts.join(', ')} ${total === 1 ? 'account is' : 'accounts are'} not watched`
}

function failedSourceNames(snapshot: Snapshot): string {
  const failed = snapshot.health.sources.filter((source) => source.outcome.kind === 'failed')
  return failed.length === 0
    ? 'some sources'
    : failed.map((source) => sourceName(source.id)).join(', ')
}

/** What stands in the way of the first reading. */
function missingPiece(snapshot: Snapshot, text: Zone): string {
  const pieces = snapshot.health.actions.map(({ action }) => missingPieceOf(action, snapshot, text))
  return pieces.find((piece) => piece !== null) ?? 'waiting for the first reading'
}

function missingPieceOf(action: HealthAction, snapshot: Snapshot, text: Zone): string | null {
  switch (action.code) {
    case 'management_key_missing':
      return 'no management key'
    case 'management_key_unreadable':
      return 'the management key file cannot be used'
    case 'management_key_refused':
      return action.failure === 'unauthorized'
        ? 'the proxy refused the management key'
        : 'the proxy refuses management from this address'
    case 'management_banned':
      return `the proxy bans this address until ${text.momentText(action.until, snapshot.evaluatedAt)}`
    default:
      return null
  }
}
