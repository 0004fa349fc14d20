import type { EpochMs, Snapshot } from '@svc/core'
import {
  type HealthSource,
  isKnownPlan,
  type OffReason,
  type SourceFailureCode,
  type SourceId,
} from '@svc/core/service'
import { capitalised } from '../format/format.ts'
import { type Catalogue, english } from './en/catalogue.ts'
import { sourceRows } from './en/source-rows.ts'
import { providersIn, unwatchedText } from './source-text.ts'
import type { Wording } from './wording.ts'

/** One source, in words. */
export interface SourceWords {
  readonly title: string
  readonly badge: string
  readonly summary: string
  readonly detail?: string
  readonly note?: string
}

/** How a source is, since when, and what to do if it failed. */
export function sourceWords(source: HealthSource, snapshot: Snapshot, text: Wording): SourceWords {
  const now = snapshot.evaluatedAt
  const { sourceRows: names, sources } = text.words
  const title = capitalised(names[source.id].title)
  const { outcome } = source
  switch (outcome.kind) {
    case 'pending':
      return { title, ...waitingWords(source, snapshot, text.words) }
    case 'off':
      return {
        title,
        badge: sources.badges.off,
        ...offWords(source.id, outcome.reason, text.words),
      }
    case 'ok': {
      const detail = detailOf(source.id, snapshot, text)
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
      const { badge, summary, remedy } = sourceFailure(source.id, outcome.code, text.words)
      return { title, badge, summary, detail: failureDetail(source, now, text), note: remedy }
    }
    default:
      return outcome satisfies never
  }
}

/** What the first answer of a source waits for. Direct queries need a list of accounts, and that list needs the key. */
function waitingWords(
  { id, upstream }: HealthSource,
  { accounts, health }: Snapshot,
  { sources }: Catalogue,
): Pick<SourceWords, 'badge' | 'summary'> {
  if (id !== 'direct_quota') return sources.waiting
  const list = health.sources.find(
    (other) => other.id === 'accounts' && other.upstream === upstream,
  )?.outcome
  if (list?.kind === 'failed' && list.code === 'no_key') return sources.waitingForKey
  return list?.kind === 'ok' && accounts.length === 0 ? sources.noAccounts : sources.waiting
}

/** Why a source could not be read, and what helps. */
export function sourceFailure(id: SourceId, code: SourceFailureCode, words: Catalogue) {
  return words.sourceConditions[code]({ ...sourceRows[id].peer, ...words.sourceRows[id].peer })
}

/** What helps against it, in English. */
export function sourceRemedy(id: SourceId, code: SourceFailureCode): string {
  return sourceFailure(id, code, english).remedy
}

/** Why a source is not asked, and what would change that. */
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
    default:
      return reason satisfies never
  }
}

function detailOf(id: SourceId, snapshot: Snapshot, text: Wording): string | null {
  if (id === 'accounts') return accountsDetail(snapshot, text)
  const { benchmarkText, sources } = text.words
  return id === 'benchmark' && snapshot.benchmark !== null
    ? sources.benchmark(benchmarkText(snapshot.benchmark, text))
    : null
}

/** So many entries that are left out are said one by one. */
const SKIPPED_NAMED = 5

function accountsDetail(snapshot: Snapshot, text: Wording): string {
  const { accounts, otherProviders, skipped, clockSkewSeconds } = snapshot
  const { countedAccountsText, sources } = text.words
  const strangePlanCount = accounts.filter(
    ({ account: { provider }, plan }) => !isKnownPlan({ provider, plan }),
  ).length
  const skewSeconds = Math.abs(clockSkewSeconds ?? 0)
  const clauses = [
    countedAccountsText(providersIn(snapshot)),
    unwatchedText(otherProviders, text),
    skipped.length > 0
      ? sources.accounts.skipped({ count: skipped.length, named: skipped.slice(0, SKIPPED_NAMED) })
      : null,
    strangePlanCount > 0 ? sources.accounts.strangePlans(strangePlanCount) : null,
    skewSeconds >= SKEW_SECONDS_SHOWN
      ? sources.accounts.clockSkew({
          duration: text.durationText(skewSeconds),
          isAhead: (clockSkewSeconds ?? 0) > 0,
        })
      : null,
  ]
  return sources.accounts.sentences(clauses.filter((clause) => clause !== null))
}

/** A smaller difference of the clocks is nobody's trouble. */
const SKEW_SECONDS_SHOWN = 60

function failureDetail(source: HealthSource, now: EpochMs, text: Wording): string {
  const { failuresInARow: count, lastGoodAt } = source
  const lastGood = lastGoodAt === null ? null : text.whenText(lastGoodAt, now)
  return text.words.sources.failures({ count, lastGood })
}
