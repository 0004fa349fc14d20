import type { EpochMs, Snapshot } from '@svc/core'
import {
  type HealthSource,
  isKnownPlan,
  type OffReason,
  type SourceFailureCode,
  type SourceId,
} from '@svc/core/service'
import { capitalised, countedText, durationText, type Zone } from '../format/format.ts'
import { benchmarkText } from './en/benchmark-text.ts'
import { countedAccountsText } from './en/provider-names.ts'
import { sourceConditions } from './en/source-failures.ts'
import { sourceRows } from './en/source-rows.ts'
import { providersIn, unwatchedText } from './source-text.ts'

/** One source, in words. */
export interface SourceWords {
  readonly title: string
  readonly badge: string
  readonly summary: string
  readonly detail?: string
  readonly note?: string
}

/** How a source is, since when, and what to do if it failed. */
export function sourceWords(source: HealthSource, snapshot: Snapshot, text: Zone): SourceWords {
  const now = snapshot.evaluatedAt
  const title = capitalised(sourceRows[source.id].title)
  const { outcome } = source
  switch (outcome.kind) {
    case 'pending':
      return { title, badge: 'Waiting', summary: 'Waiting for the first answer.' }
    case 'off':
      return { title, badge: 'Off', ...offWords(source.id, outcome.reason) }
    case 'ok': {
      const detail = detailOf(source.id, snapshot, text)
      const badge = source.tone === 'good' ? 'OK' : 'Degraded'
      const { verb = 'Answered' } = sourceRows[source.id]
      return {
        title,
        badge,
        summary: `${verb} ${text.justNowText(outcome.at, now)}.`,
        ...(detail === null ? {} : { detail }),
      }
    }
    case 'failed': {
      const { badge, summary, remedy } = sourceConditions[outcome.code](sourceRows[source.id].peer)
      return { title, badge, summary, detail: failureDetail(source, now, text), note: remedy }
    }
    default:
      return outcome satisfies never
  }
}

/** Why a source could not be read, in a sentence. */
export function sourceFailureSummary(id: SourceId, code: SourceFailureCode): string {
  return sourceConditions[code](sourceRows[id].peer).summary
}

/** What helps against it. */
export function sourceRemedy(id: SourceId, code: SourceFailureCode): string {
  return sourceConditions[code](sourceRows[id].peer).remedy
}

/** Why a source is not asked, and what would change that. */
function offWords(id: SourceId, reason: OffReason): Pick<SourceWords, 'summary' | 'note'> {
  const { peer, switchKey } = sourceRows[id]
  switch (reason) {
    case 'no_store':
      return {
        summary: id === 'history' ? 'No history is kept.' : 'No history is kept, which this needs.',
        note: 'Set state_db to the file that shall hold the history.',
      }
    case 'no_key':
      return {
        summary: 'There is no management key, which this needs.',
        note: 'Set management_key_file.',
      }
    case 'not_configured':
      return {
        summary: 'No file is configured for it.',
        note: `Set ${peer.addressKey}, if you have such a file.`,
      }
    case 'switched_off':
      return id === 'usage_statistics'
        ? {
            summary: 'The proxy records no usage.',
            note: 'Set usage-statistics-enabled: true in the configuration of the proxy.',
          }
        : {
            summary: 'Switched off in the configuration.',
            note: `Set ${switchKey ?? peer.addressKey} to have it.`,
          }
    default:
      return reason satisfies never
  }
}

function detailOf(id: SourceId, snapshot: Snapshot, text: Zone): string | null {
  if (id === 'accounts') return accountsDetail(snapshot)
  return id === 'benchmark' && snapshot.benchmark !== null
    ? `${benchmarkText(snapshot.benchmark, text)} Shown only: nothing here follows from it.`
    : null
}

function accountsDetail(snapshot: Snapshot): string {
  const { accounts, otherProviders, skippedCount, clockSkewSeconds } = snapshot
  const strangePlans = accounts.filter(
    ({ account: { provider }, plan }) => !isKnownPlan({ provider, plan }),
  ).length
  const skewSeconds = Math.abs(clockSkewSeconds ?? 0)
  const sentences = [
    countedAccountsText(providersIn(snapshot)),
    unwatchedText(otherProviders),
    skippedCount > 0
      ? `${countedText(skippedCount, 'entry', 'entries')} could not be read and ${skippedCount === 1 ? 'is' : 'are'} left out`
      : null,
    strangePlans > 0
      ? `${countedText(strangePlans, 'account')} with a plan this monitor does not know: no part of the capacity`
      : null,
    skewSeconds >= SKEW_SECONDS_SHOWN
      ? `The proxy's clock is ${durationText(skewSeconds)} ${(clockSkewSeconds ?? 0) > 0 ? 'ahead of' : 'behind'} ours; its times are corrected`
      : null,
  ]
  return sentences.flatMap((sentence) => (sentence === null ? [] : [`${sentence}.`])).join(' ')
}

/** A smaller difference of the clocks is nobody's trouble. */
const SKEW_SECONDS_SHOWN = 60

function failureDetail(source: HealthSource, now: EpochMs, text: Zone): string {
  const failures = `${countedText(source.failuresInARow, 'failure')} in a row`
  return source.lastGoodAt === null
    ? `${failures}, none good so far.`
    : `${failures}, last good ${text.whenText(source.lastGoodAt, now)}.`
}
