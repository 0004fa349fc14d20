import { type EpochMs, epochMs, plusMs } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import {
  type FeedPosition,
  providerOfUsage,
  seriesOf,
  type UsageDetail,
  type UsageGap,
  type UsageGroup,
  type UsageMetric,
  type UsageRangeId,
  type UsageRecord,
  type UsageTally,
} from '@svc/core/usage'
import type { HistoryStore, RetentionPlan, StoredUsage } from '@svc/history'
import fc from 'fast-check'
import { expect } from 'vitest'

/** A store of one engine, in a place of its own. */
export interface OwnHistory {
  open(): Promise<HistoryStore>
  /** `retentionDays` is only told. */
  openUsage(): Promise<StoredUsage>
  remove(): Promise<void>
}

/** What every engine must do; `create` makes an empty store. */
export interface Engine {
  readonly name: string
  readonly create: () => Promise<OwnHistory>
}

/** One thing that happens to a store. Ages are in milliseconds before the time it happens. */
export type Step =
  | {
      readonly kind: 'record'
      readonly upstream: UpstreamName
      readonly details: readonly RequestOf[]
      readonly polled: boolean
    }
  | { readonly kind: 'mark' | 'clear'; readonly upstream: UpstreamName }
  | {
      readonly kind: 'gap'
      readonly upstream: UpstreamName
      readonly fromAge: number
      readonly length: number
    }
  | { readonly kind: 'retain'; readonly plan: RetentionPlan }
  | { readonly kind: 'label'; readonly label: string }
  | { readonly kind: 'reopen' }
  | { readonly kind: 'wait'; readonly milliseconds: number }

/** A request, by the millisecond of a fixed start at which it began, so that the same one can come again. */
interface RequestOf extends Omit<UsageDetail, 'at'> {
  readonly at: number
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
export const START = epochMs(Date.UTC(2026, 10, 20, 12, 34, 56, 789))
const LABELLED = 'key-1'
/** Every client has a label: a fingerprint is known to the store alone. */
const LABELS = new Map([
  [LABELLED, 'Team'],
  ['key-2', 'CI'],
  ["it's", 'Lab'],
])
const UPSTREAMS = ['default', 'tokyo'] as const

const request: fc.Arbitrary<RequestOf> = fc
  .record({
    ageMs: fc.oneof(
      fc.integer({ min: -HOUR_MS, max: 2 * HOUR_MS }),
      fc.integer({ min: 0, max: 3 * DAY_MS }),
      fc.integer({ min: 0, max: 40 * DAY_MS }),
      fc.constantFrom(0, 1, 60_000, HOUR_MS, DAY_MS),
    ),
    key: fc.bigInt({ min: -2n, max: 2n }),
    accountKey: fc.constantFrom('ann', 'bob', 'other:gemini', '__proto__'),
    apiName: fc.constantFrom(LABELLED, 'key-2', "it's"),
    model: fc.constantFrom('m', '模型', 'constructor'),
    tokens: fc.oneof(fc.nat(50_000), fc.constantFrom(0, 2 ** 40)),
    failed: fc.boolean(),
    provider: fc.constantFrom('codex', 'claude', null),
    latencyMs: fc.constantFrom(null, 0, 5_000),
  })
  .map(({ ageMs, ...detail }) => ({ ...detail, at: START - ageMs }))

const upstream = fc.constantFrom(...UPSTREAMS)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      upstream,
      details: fc.array(request, { maxLength: 8 }),
      polled: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constantFrom('mark' as const, 'clear' as const), upstream }),
  fc.record({
    kind: fc.constant('gap' as const),
    upstream,
    fromAge: fc.integer({ min: 0, max: 5 * DAY_MS }),
    length: fc.integer({ min: 0, max: DAY_MS }),
  }),
  fc.record({
    kind: fc.constant('retain' as const),
    plan: fc.record({ usageDays: fc.constantFrom(1, 3, 60), historyDays: fc.constantFrom(2, 90) }),
  }),
  fc.record({ kind: fc.constant('label' as const), label: fc.constantFrom('Team', 'CI') }),
  fc.record({ kind: fc.constant('reopen' as const) }),
  fc.record({
    kind: fc.constant('wait' as const),
    milliseconds: fc.oneof(
      fc.integer({ min: 1, max: HOUR_MS }),
      fc.integer({ min: 1, max: 3 * DAY_MS }),
    ),
  }),
)

/** What happens to a store; a batch may come again, whole or in part, in any order. */
export const walks: fc.Arbitrary<readonly Step[]> = fc
  .array(step, { minLength: 1, maxLength: 8 })
  .chain((steps) =>
    fc
      .array(fc.nat(), { maxLength: 2 })
      .map((again) => [...steps, ...again.flatMap((index) => repeated(steps, index))]),
  )

function repeated(steps: readonly Step[], index: number): readonly Step[] {
  const records = steps.filter((one) => one.kind === 'record')
  const one = records[index % Math.max(1, records.length)]
  return one === undefined ? [] : [{ ...one, details: one.details.toReversed() }]
}

/** The plainest store: everything in lists, looked through anew for each question. */
function createModel() {
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
  const addGap = (gap: UsageGap) => {
    gaps = [...gaps, gap]
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
      return seriesOf(records, query, { now, earliest: first, watch })
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
      addGap(gap)
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
      addGap(gap)
      marks.delete(of)
      return gap
    },
  }
}

type Model = ReturnType<typeof createModel>
interface Query {
  readonly range: UsageRangeId
  readonly group: UsageGroup
  readonly metric: UsageMetric
  readonly top: number
  readonly compare: boolean
}

/** Every range with every group. */
const QUERIES: readonly Query[] = (['1h', '6h', '24h', '7d', '30d', 'all'] as const).flatMap(
  (range) =>
    (['total', 'account', 'client', 'model', 'api', 'provider', 'upstream'] as const).map(
      (group, index): Query => ({
        range,
        group,
        metric: (['tokens', 'requests', 'failed'] as const)[index % 3] ?? 'tokens',
        top: 1 + (index % 4),
        // The week before ends inside a bucket whose rows may be gone, so that its last bucket is one of whole hours.
        compare: index % 2 === 0 && range !== '7d',
      }),
    ),
)
const QUERIES_PER_STEP = 5

/** Takes a store and its model through the same steps, and compares them after each. */
export async function walk(engine: Engine, steps: readonly Step[]): Promise<void> {
  const history = await engine.create()
  const model = createModel()
  let store = await history.open()
  let asked = 0
  try {
    for (const [index, one] of steps.entries()) {
      if (one.kind === 'reopen') {
        await store.close()
        store = await history.open()
      }
      await take(store, model, one)
      await compare(store, model, `step ${index}: ${one.kind}`)
      const usage = await history.openUsage()
      try {
        asked = await compareCharts(usage, model, asked)
      } finally {
        await usage.close()
      }
    }
  } finally {
    await store.close()
    await history.remove()
  }
}

async function take(store: HistoryStore, model: Model, one: Step): Promise<void> {
  const now = model.now()
  switch (one.kind) {
    case 'record': {
      const details = one.details.map(
        (detail): UsageDetail => ({ ...detail, at: epochMs(detail.at) }),
      )
      const batch = { receivedAt: now, details, quarantined: [], saturatedCount: 0 }
      const position = one.polled ? { lastPollAt: now, treeRequests: null } : undefined
      const tally = await store.usageOf(one.upstream).record(batch, position)
      expect(tally).toEqual(model.record(one.upstream, details, one.polled))
      return
    }
    case 'mark':
      model.mark(one.upstream)
      return await store.usageOf(one.upstream).markPop(now)
    case 'clear':
      model.clear(one.upstream)
      return await store.usageOf(one.upstream).clearPop()
    case 'gap': {
      const from = plusMs(now, -one.fromAge)
      const gap: UsageGap = { from, to: plusMs(from, one.length), reason: 'batch_lost' }
      model.gap(one.upstream, gap)
      return await store.usageOf(one.upstream).recordGap(gap)
    }
    case 'retain':
      model.retain(one.plan)
      while (await store.retain(one.plan, { asOf: now, rowsMax: 3 })) {}
      expect(await store.backlogMs(one.plan, now)).toBe(0)
      return
    case 'reopen':
      for (const of of await store.upstreams())
        expect(await store.usageOf(of).endInterruptedPop()).toEqual(model.restart(of))
      return
    case 'label':
      return model.relabel(one.label)
    case 'wait':
      return model.wait(one.milliseconds)
    default:
      return one satisfies never
  }
}

async function compare(store: HistoryStore, model: Model, what: string): Promise<void> {
  expect((await store.facts()).counters, what).toMatchObject(model.counters())
  for (const of of UPSTREAMS)
    expect(await store.usageOf(of).position(), what).toEqual(model.position(of))
  for (const since of [DAY_MS, 30 * DAY_MS].map((age) => plusMs(model.now(), -age)))
    expect(await store.missedMs(since, model.now()), what).toBe(model.missedMs(since))
}

/** Asks for some charts more than before, and answers how many that were in all. */
async function compareCharts(usage: StoredUsage, model: Model, asked: number): Promise<number> {
  usage.useLabels(model.labels())
  for (let count = 0; count < QUERIES_PER_STEP; count += 1) {
    // Eleven has no divisor in common with their number: each few steps see all of them.
    const query = QUERIES[((asked + count) * 11) % QUERIES.length]
    if (query !== undefined)
      expect(await usage.series(query, model.now()), JSON.stringify(query)).toEqual(
        model.series(query),
      )
  }
  return asked + QUERIES_PER_STEP
}
