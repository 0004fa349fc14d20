import { epochMs, plusMs } from '@svc/core'
import {
  isBucketOf,
  type UsageDetail,
  type UsageGap,
  usageBucketIds,
  usageMetrics,
} from '@svc/core/usage'
import type { HistoryStore, StoredUsage } from '@svc/history'
import { expect } from 'vitest'
import { createModel, type Model, type Query } from './store-model.ts'
import { DAY_MS, LISTED, type Step, UPSTREAMS } from './store-steps.ts'

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

const PROVIDERS = [{}, { providers: ['codex'] }, {}, { providers: ['claude', 'gemini'] }]

/** Every range with every group, by turns in each width of buckets and of some providers. */
const QUERIES: readonly Query[] = (['1h', '6h', '24h', '7d', '30d', 'all'] as const).flatMap(
  (range, at) =>
    (['total', 'account', 'client', 'model', 'api', 'provider', 'upstream'] as const).map(
      (group, index): Query => ({
        range,
        bucket: widthsOf(range)[index % widthsOf(range).length] ?? 'auto',
        group,
        ...PROVIDERS[(index + at) % PROVIDERS.length],
        listed: LISTED,
        metric: usageMetrics[(index + at * 7) % usageMetrics.length] ?? 'tokens',
        top: 1 + (index % 4),
        // The week before ends inside a bucket whose rows may be gone, so that its last bucket is one of whole hours.
        compare: index % 2 === 0 && range !== '7d',
      }),
    ),
)
const QUERIES_PER_STEP = 5

function widthsOf(range: Query['range']): readonly Query['bucket'][] {
  return usageBucketIds.filter((bucket) => isBucketOf(bucket, { range, group: 'account' }))
}

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
export async function compareCharts(
  usage: StoredUsage,
  model: Model,
  asked: number,
): Promise<number> {
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
