import { type EpochMs, epochMs, type ProviderId, plusMs } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import {
  type FeedPosition,
  providerOfUsage,
  seriesOf,
  type UsageBucketId,
  type UsageDetail,
  type UsageGap,
  type UsageGroup,
  type UsageMetric,
  type UsageRangeId,
  type UsageRecord,
  type UsageTally,
} from '@svc/core/usage'
import type { RetentionPlan } from '@svc/history'
import { DAY_MS, LABELLED, LABELS, START } from './store-steps.ts'

/** A chart that is asked for. */
export interface Query {
  readonly range: UsageRangeId
  readonly bucket: UsageBucketId
  readonly group: UsageGroup
  readonly metric: UsageMetric
  readonly top: number
  readonly compare: boolean
  readonly providers?: readonly ProviderId[]
  readonly listed: ReadonlyMap<string, ProviderId>
}

/** The plainest store: everything in lists, looked through anew for each question. */
export function createModel() {
  let now = START
  let cut: number = 0
  let labels: ReadonlyMap<string, string> = LABELS
  let firstPollAt: EpochMs | null = null
  let stored: { readonly upstream: UpstreamName; readonly detail: UsageDetail; kept: boolean }[] =
    []
  let gaps: UsageGap[] = []
  const marks = new Map<UpstreamName, EpochMs>()
  const polls = new Map<UpstreamName, EpochMs>()
  const counters = { seen: 0, stored: 0, duplicate: 0, expired: 0 }
  /** What lies before the end of a gap counts as missed, and is not missed again. */
  const addGap = (of: UpstreamName, gap: UsageGap) => {
    gaps = [...gaps, gap]
    polls.set(of, epochMs(Math.max(polls.get(of) ?? gap.to, gap.to)))
  }

  const recordOf = ({ upstream, detail }: (typeof stored)[number]): UsageRecord => {
    const client = labels.get(detail.apiName) ?? ''
    return {
      at: detail.at,
      account: { id: detail.accountKey, label: detail.accountKey },
      client: { id: client, label: client },
      model: detail.model,
      apiName: detail.apiName,
      provider: providerOfUsage(detail),
      upstream,
      requests: 1,
      tokens: detail.tokens,
      failed: detail.failed ? 1 : 0,
      ...detail.classes,
      ...(detail.failure == null ? {} : { [detail.failure]: 1 }),
      latencyMs: detail.latencyMs ?? null,
      firstTokenMs: detail.firstTokenMs ?? null,
    }
  }
  /** Of days of which only sums are left, the start of the first. */
  const earliest = (): EpochMs | null => {
    if (stored.length === 0) return null
    const day = Math.floor(Math.min(...stored.map(({ detail }) => detail.at)) / DAY_MS) * DAY_MS
    const rows = stored.filter(({ kept }) => kept).map(({ detail }) => detail.at)
    const row = Math.min(...rows)
    return epochMs(rows.length === 0 || day + DAY_MS <= row ? day : row)
  }

  return {
    now: () => now,
    labels: () => labels,
    counters: () => ({ ...counters }),
    position: (of: UpstreamName): FeedPosition => ({
      lastPollAt: polls.get(of) ?? null,
      treeRequests: null,
    }),
    missedMs: (since: EpochMs) => {
      const inside = gaps
        .map(({ from, to }) => [Math.max(from, since), Math.min(to, now)] as const)
        .filter(([from, to]) => to > from)
      const edges = [...new Set(inside.flat())].sort((one, other) => one - other)
      return edges.slice(1).reduce((missed, end, index) => {
        const start = edges[index] ?? end
        return inside.some(([from, to]) => from <= start && to >= end)
          ? missed + end - start
          : missed
      }, 0)
    },
    series(query: Query) {
      const first = earliest()
      const since = [first, firstPollAt].filter((at) => at !== null)
      const watch = {
        since: since.length === 0 ? null : epochMs(Math.min(...since)),
        missed: gaps.toSorted((one, other) => one.from - other.from),
      }
      const records = stored.map(recordOf)
      const rowsSince = cut === 0 ? null : epochMs(cut)
      return seriesOf(records, query, { now, earliest: first, watch, rowsSince })
    },
    relabel(next: string) {
      labels = new Map([...LABELS, [LABELLED, next]])
    },
    wait(milliseconds: number) {
      now = plusMs(now, milliseconds)
    },
    record(of: UpstreamName, details: readonly UsageDetail[], polled: boolean): UsageTally {
      const tally = { seen: details.length, stored: 0, duplicate: 0, quarantined: 0, expired: 0 }
      for (const detail of details) {
        const known = stored.some(
          ({ kept, detail: { at, key } }) => kept && at === detail.at && key === detail.key,
        )
        if (detail.at < cut) tally.expired += 1
        else if (known) tally.duplicate += 1
        else {
          tally.stored += 1
          stored = [...stored, { upstream: of, detail, kept: true }]
        }
      }
      for (const name of ['seen', 'stored', 'duplicate', 'expired'] as const)
        counters[name] += tally[name]
      marks.delete(of)
      if (polled) {
        polls.set(of, now)
        firstPollAt ??= now
      }
      return tally
    },
    mark: (of: UpstreamName) => void marks.set(of, now),
    clear: (of: UpstreamName) => void marks.delete(of),
    gap(of: UpstreamName, gap: UsageGap) {
      addGap(of, gap)
      marks.delete(of)
    },
    retain({ usageDays, historyDays }: RetentionPlan) {
      const planned = (Math.floor(now / DAY_MS) - usageDays) * DAY_MS
      cut = Math.max(cut, planned)
      for (const one of stored) if (one.detail.at < planned) one.kept = false
      gaps = gaps.filter(({ to }) => to >= now - historyDays * DAY_MS)
    },
    /** A pop that was under way is a gap now. */
    restart(of: UpstreamName): UsageGap | null {
      const to = marks.get(of)
      if (to === undefined) return null
      const gap: UsageGap = { from: polls.get(of) ?? to, to, reason: 'stopped_before_commit' }
      addGap(of, gap)
      marks.delete(of)
      return gap
    },
  }
}

export type Model = ReturnType<typeof createModel>
