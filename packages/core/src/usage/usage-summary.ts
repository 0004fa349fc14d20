import type { UsageMeasures } from '../facts/observation.ts'
import type { EpochMs } from '../facts/time.ts'
import { emptyRow, entryOf, type UsageMember, type UsageRecord, type UsageRow } from './usage.ts'
import { addTo, emptySum, type UsageSum } from './usage-counts.ts'
import { usageSpanOf } from './usage-span.ts'

/** Length of the "live" window, in seconds. See docs/rules.md#statistics. */
export const LIVE_WINDOW_SECONDS = 900

/** Recent usage, and totals of the whole history. */
export interface UsageSummary {
  readonly live: UsageMeasures & {
    readonly lastEventAt: EpochMs | null
    /** Usage by account, in no order; ids are account keys. */
    readonly accounts: readonly UsageRow[]
    readonly activeClients: number
  }
  /** Usage over the span of a 24 h chart, so that both show the same sums. */
  readonly lastDay: UsageMeasures & {
    /** Usage by account, in no order; ids are account keys. */
    readonly accounts: readonly UsageRow[]
    readonly models: readonly UsageRow[]
  }
  readonly history: UsageHistory
}

/** The usage summary, or the reason for its absence: usage is not kept, or was not read yet. */
export type UsageReading =
  | { readonly kind: 'off' }
  | { readonly kind: 'pending' }
  | { readonly kind: 'read'; readonly summary: UsageSummary }

/** Totals and extent of the whole usage history. */
export interface UsageHistory {
  readonly totals: UsageMeasures
  readonly earliest: EpochMs | null
  readonly latest: EpochMs | null
  /** Size of the store; null without a store. */
  readonly databaseBytes: number | null
  /** Days a row is kept; null for no limit. */
  readonly retentionDays: number | null
  readonly lastWriteAt: EpochMs | null
  readonly duplicates: number
  /** Requests the proxy counted but did not hand to us. */
  readonly missing: number
  /** Seconds since the first poll, at most 30 days back; `gapSeconds` of these were missed. See docs/rules.md#statistics. */
  readonly observedSeconds: number
  readonly gapSeconds: number
  /** Seconds that reads lag behind writes; left out if both use the same database. */
  readonly lagSeconds?: number
}

/** Percent 0..100 of the observed time without gaps; null before the first poll. */
export function coveragePercentOf({
  observedSeconds,
  gapSeconds,
}: Pick<UsageHistory, 'observedSeconds' | 'gapSeconds'>): number | null {
  if (observedSeconds <= 0) return null
  return 100 * (1 - Math.min(1, gapSeconds / observedSeconds))
}

/** Sums of the live window and the last day before `now`. */
export function recentUsageOf(
  records: Iterable<UsageRecord>,
  now: EpochMs,
): Pick<UsageSummary, 'live' | 'lastDay'> {
  let lastEventAt: EpochMs | null = null
  const { from: dayStart } = usageSpanOf('24h', now, null)
  const window = emptySum()
  const lastDay = emptySum()
  const dayByAccount = new Map<string, UsageMember & UsageSum>()
  const dayByModel = new Map<string, UsageMember & UsageSum>()
  const accounts = new Map<string, UsageMember & UsageSum>()
  const clients = new Set<string>()
  for (const record of records) {
    const { at } = record
    if (at >= now || record.requests === 0) continue
    if (lastEventAt === null || at > lastEventAt) lastEventAt = at
    if (at < dayStart) continue
    addTo(lastDay, record)
    addTo(entryOf(dayByAccount, record.account, emptyRow), record)
    addTo(entryOf(dayByModel, { id: record.model, label: record.model }, emptyRow), record)
    if (now - at > LIVE_WINDOW_SECONDS * 1000) continue
    addTo(window, record)
    addTo(entryOf(accounts, record.account, emptyRow), record)
    clients.add(record.client.id)
  }
  return {
    live: { ...window, lastEventAt, accounts: [...accounts.values()], activeClients: clients.size },
    lastDay: { ...lastDay, accounts: [...dayByAccount.values()], models: [...dayByModel.values()] },
  }
}
