import type { EpochMs, HealthAction, ProviderId, Snapshot } from '@svc/core'
import type { HealthSource } from '@svc/core/health'
import { allAccountsOf, firstReadingsOf, unknownNamesIn } from '@svc/core/pool'
import {
  isKnownPlan,
  type OffReason,
  providerLabel,
  type SourceFailureCode,
  type SourceId,
} from '@svc/core/service'
import { bytesText, capitalised } from '../format/format.ts'
import { type Catalogue, english } from './en/catalogue.ts'
import { sourceRows } from './en/sources.ts'
import type { Wording } from './wording.ts'

interface SourceWords {
  readonly title: string
  readonly badge: string
  readonly summary: string
  readonly detail?: string
  readonly note?: string
}

/** Words for the state of a source, with its last answer or the remedy of its failure. */
export function sourceWords(source: HealthSource, snapshot: Snapshot, text: Wording): SourceWords {
  const now = snapshot.evaluatedAt
  const { sourceRows: names, sources } = text.words
  const title = capitalised(names[source.id].title)
  const { outcome } = source
  const asking = askingText(source, snapshot, text)
  switch (outcome.kind) {
    case 'pending':
      return {
        title,
        ...waitingWords(source, snapshot, text.words),
        ...(asking === null ? {} : { detail: asking }),
      }
    case 'off':
      return {
        title,
        badge: sources.badges.off,
        ...offWords(source.id, outcome.reason, text.words),
      }
    case 'ok': {
      const detail = detailOf(source, snapshot, text)
      return {
        title,
        badge: source.tone === 'good' ? sources.badges.good : sources.badges.degraded,
        summary: sources.answered({
          verb: names[source.id].verb,
          at: text.justNowText(outcome.at, now),
        }),
        ...(detail === null ? {} : { detail }),
      }
    }
    case 'failed': {
      const { badge, summary, remedy } = sourceFailure(
        source.id,
        outcome.code,
        text.words,
        source.address,
      )
      const detail = text.words.sources.together(
        [asking, failureDetail(source, now, text)].filter((part) => part !== null),
      )
      return { title, badge, summary, detail, note: remedy }
    }
    default:
      return outcome satisfies never
  }
}

/** Words for a source without an answer yet. Direct queries wait for the account list, which waits for the key. */
function waitingWords(
  { id, upstream }: HealthSource,
  snapshot: Snapshot,
  { sources }: Catalogue,
): Pick<SourceWords, 'badge' | 'summary'> {
  if (id !== 'direct_quota') return sources.waiting
  const list = snapshot.health.sources.find(
    (other) => other.id === 'accounts' && other.upstream === upstream,
  )?.outcome
  if (list?.kind === 'failed' && list.code === 'no_key') return sources.waitingForKey
  return list?.kind === 'ok' && allAccountsOf(snapshot).length === 0
    ? sources.noAccounts
    : sources.waiting
}

/** Badge, reason and remedy of a failed source. `address` is undefined if the source has no single address. */
export function sourceFailure(
  id: SourceId,
  code: SourceFailureCode,
  words: Catalogue,
  address?: string,
) {
  const peer = { ...sourceRows[id].peer, ...words.sourceRows[id].peer }
  const name = address === undefined ? peer.name : words.sources.peerAt(peer.name, address)
  return words.sourceConditions[code]({ ...peer, name, address })
}

/** English remedy for a failure of a source. */
export function sourceRemedy(id: SourceId, code: SourceFailureCode): string {
  return sourceFailure(id, code, english).remedy
}

/** Reason why a source is off, with the way to switch it on. */
function offWords(
  id: SourceId,
  reason: OffReason,
  { sources: { off } }: Catalogue,
): Pick<SourceWords, 'summary' | 'note'> {
  const { peer, switchKey } = sourceRows[id]
  switch (reason) {
    case 'no_store':
      return id === 'history' ? off.ownStore : off.noStore
    case 'no_key':
      return off.noKey
    case 'not_configured':
      return off.noFile(peer.addressKey)
    case 'switched_off':
      return id === 'usage_statistics'
        ? off.noStatistics
        : off.switchedOff(switchKey ?? peer.addressKey)
    case 'standby':
      return off.standby
    case 'asked_elsewhere':
      return off.askedElsewhere
    default:
      return reason satisfies never
  }
}

function detailOf(source: HealthSource, snapshot: Snapshot, text: Wording): string | null {
  const { id, missedSeconds = 0, disk } = source
  if (id === 'accounts') return accountsDetail(snapshot, text)
  const { benchmarkText, sources } = text.words
  if (source.usageWay !== undefined) return sources.usageWays[source.usageWay]
  const asking = askingText(source, snapshot, text)
  if (asking !== null) return asking
  const ofStore = [
    missedSeconds >= 1 ? sources.missed(text.durationText(missedSeconds)) : null,
    disk === undefined
      ? null
      : sources.disk({ free: bytesText(disk.freeBytes), days: disk.fullInDays }),
  ].filter((part) => part !== null)
  if (ofStore.length > 0) return sources.together(ofStore)
  return id === 'benchmark' && snapshot.benchmark !== null
    ? sources.benchmark(benchmarkText(snapshot.benchmark, text))
    : null
}

/** Vendors not queried now, with the end of the pause, and vendors whose accounts were not all read yet; null for none. */
function askingText(
  { id, paused = [] }: HealthSource,
  { pools, evaluatedAt }: Snapshot,
  text: Wording,
): string | null {
  if (id !== 'direct_quota') return null
  const { pausedVendor, firstReadings, together } = text.words.sources
  const begun = pools
    .map(({ provider, accounts }) => ({ provider, ...firstReadingsOf(accounts) }))
    .filter(({ readCount, toReadCount }) => readCount < toReadCount)
  const sentences = [
    ...paused.map(({ provider, until, reason }) =>
      pausedVendor({
        vendor: providerLabel(provider),
        until: until === null ? null : text.momentText(until, evaluatedAt),
        reason,
      }),
    ),
    ...begun.map(({ provider, ...counts }) =>
      firstReadings({ vendor: providerLabel(provider), ...counts }),
    ),
  ]
  return sentences.length === 0 ? null : together(sentences)
}

const SKIPPED_NAMED = 5

function accountsDetail(snapshot: Snapshot, text: Wording): string {
  const { skipped, clockSkewSeconds } = snapshot
  const { countedAccountsText, sources } = text.words
  const strangePlanCount = allAccountsOf(snapshot).filter(
    ({ account: { provider }, plan }) => !isKnownPlan({ provider, plan }),
  ).length
  const skewSeconds = Math.abs(clockSkewSeconds ?? 0)
  const clauses = [
    countedAccountsText(providersIn(snapshot)),
    skipped.length > 0
      ? sources.accounts.skipped({ count: skipped.length, named: skipped.slice(0, SKIPPED_NAMED) })
      : null,
    strangePlanCount > 0 ? sources.accounts.strangePlans(strangePlanCount) : null,
    ...unknownNamesIn(allAccountsOf(snapshot)).map(({ provider, ...unknown }) =>
      sources.accounts.unknownNames({ vendor: providerLabel(provider), ...unknown }),
    ),
    skewSeconds >= SKEW_SECONDS_SHOWN
      ? sources.accounts.clockSkew({
          duration: text.durationText(skewSeconds),
          isAhead: (clockSkewSeconds ?? 0) > 0,
        })
      : null,
  ]
  return sources.accounts.sentences(clauses.filter((clause) => clause !== null))
}

/** Smallest clock difference worth mentioning. */
const SKEW_SECONDS_SHOWN = 60

function failureDetail(source: HealthSource, now: EpochMs, text: Wording): string {
  const { failuresInARow: count, lastGoodAt } = source
  const lastGood = lastGoodAt === null ? null : text.whenText(lastGoodAt, now)
  return text.words.sources.failures({ count, lastGood })
}

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

function providersIn(snapshot: Snapshot): readonly ProviderId[] {
  return allAccountsOf(snapshot).map(({ account }) => account.provider)
}

function failedSourceNames({ health }: Snapshot, { words }: Wording): readonly string[] {
  const failed = health.sources.filter(({ outcome }) => outcome.kind === 'failed')
  return [...new Set(failed.map(({ id }) => words.sourceRows[id].title))]
}

/** Input that the first reading still waits for, for example a management key. */
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
