import { type EvaluatedAccount, type Snapshot, windowQuotasOf } from '@svc/core'
import { noTrends } from '@svc/core/pool'
import { fromNow } from '@svc/core/testing'
import type { UsageReading } from '@svc/core/usage'
import * as fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { afterSteps } from '../changes/apply-changes.ts'
import { createWording } from '../messages/wording.ts'
import { aMixedPool, aSnapshot, aUsageSummary, knownWindow } from '../testing/snapshots.ts'
import { statusOutline, statusView } from './status.ts'
import { statusChangesSchema, statusChangesText } from './status-changes.ts'
import { type StatusOrigin, statusStep } from './status-steps.ts'

const text = createWording('Asia/Shanghai')
const off: UsageReading = { kind: 'off' }
const originOf = (snapshot: Snapshot, usage: UsageReading = off): StatusOrigin => ({
  snapshot,
  context: { text, usage, trends: noTrends, refresh: { status: 'idle' } },
})
/** The value after a round trip through JSON. */
const sent = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value
const statusOf = ({ snapshot, context }: StatusOrigin) => sent(statusView(snapshot, context))

const pool = aMixedPool(14)
function probed(account: EvaluatedAccount, percent: number, score: number): EvaluatedAccount {
  const sampledAt = fromNow(-1)
  const windows = [
    knownWindow('5h', percent, 7_000, { sampledAt }),
    knownWindow('week', percent, 90_000, { sampledAt }),
  ]
  const lastSample = { at: sampledAt, origin: 'direct' } as const
  return { ...account, windows, quota: windowQuotasOf(windows, 6), score, lastSample }
}
/** Some accounts of a pool in any order, some with a new reading, at a time within the next hours. */
const anyOrigin = fc
  .record({
    order: fc.shuffledSubarray([...pool.keys()]),
    probes: fc.dictionary(fc.constantFrom('3', '9', '12'), fc.integer({ min: 1, max: 100 })),
    seconds: fc.integer({ min: -20, max: 20_000 }),
    usage: fc.constantFrom<UsageReading>(off, { kind: 'read', summary: aUsageSummary() }),
  })
  .map(({ order, probes, seconds, usage }) => {
    const accounts = order.flatMap((place) => {
      const account = pool[place]
      const percent = probes[String(place)]
      if (account === undefined) return []
      return [percent === undefined ? account : probed(account, percent, percent)]
    })
    return originOf(aSnapshot(accounts, { evaluatedAt: fromNow(seconds) }), usage)
  })

describe('the step from one status to another', () => {
  it('makes the second of the first, for any series of them', () => {
    fc.assert(
      fc.property(fc.array(anyOrigin, { minLength: 2, maxLength: 4 }), (origins) => {
        const steps = origins
          .slice(1)
          .map((after, index) => sent(statusStep(origins[index] as StatusOrigin, after)))
        const [first, last] = [origins[0], origins.at(-1)] as [StatusOrigin, StatusOrigin]

        expect(afterSteps(statusOf(first), steps)).toEqual(statusOf(last))
      }),
      { numRuns: 60 },
    )
  })

  it('has nothing to say of an account for which time alone has passed', () => {
    // `reclaim` is computed with the snapshot, so it is fixed here.
    const accounts = pool.map((account) => ({ ...account, reclaim: null }))
    const [before, after] = [0, 15].map((seconds) =>
      originOf(aSnapshot(accounts, { evaluatedAt: fromNow(seconds), sampledAt: fromNow(seconds) })),
    ) as [StatusOrigin, StatusOrigin]
    const step = statusStep(before, after)

    expect(step.laterSeconds).toBe(15)
    expect(JSON.stringify(step.change)).not.toContain('resetsInSeconds')
    expect(JSON.stringify(step.change)).not.toContain('ageSeconds')
    const held = statusOf(before)
    const { tabs } = afterSteps(held, [sent(step)])
    // An account that was never read has no counting seconds.
    expect(tabs.pool.accounts[1]).toBe(held.tabs.pool.accounts[1])
  })

  it('names the account that was read, and no other', () => {
    const before = originOf(aSnapshot(pool))
    const after = originOf(
      aSnapshot(pool.map((account, place) => (place === 9 ? probed(account, 41, 52) : account))),
    )
    const { change } = statusStep(before, after)

    expect(change).toMatchObject({
      tabs: { pool: { accounts: { 9: { lastSample: {}, windows: {} } } } },
      recommendations: { items: { 9: { quotaWindows: {} } } },
    })
    const { tabs } = change as { tabs: { pool: { accounts: object } } }
    expect(Object.keys(tabs.pool.accounts)).toEqual(['9'])
  })

  it('says of a refresh alone that it has begun', () => {
    const before = originOf(aSnapshot(pool))
    const refresh: StatusOrigin['context']['refresh'] = {
      status: 'running',
      target: { scope: 'default' },
      startedAt: fromNow(0),
      expectedEndAt: null,
      tally: { queued: 3, done: 1, failed: 0 },
    }
    const after = { ...before, context: { ...before.context, refresh } }

    expect(statusStep(before, after)).toEqual({
      laterSeconds: 0,
      change: {
        summary: {
          manualRefresh: {
            status: ['running'],
            scope: ['default'],
            startedAt: [expect.any(String)],
            queued: [3],
            done: [1],
          },
        },
      },
    })
  })
})

describe('a status in outline', () => {
  it('is the status without its long lists', () => {
    const origin = originOf(aSnapshot(pool), { kind: 'read', summary: aUsageSummary() })
    const whole = statusView(origin.snapshot, origin.context)
    const { tabs, recommendations } = whole
    const columns = tabs.resets.columns.map((column) => ({ ...column, rows: [] }))

    expect(statusOutline(origin.snapshot, origin.context)).toEqual({
      ...whole,
      tabs: {
        ...tabs,
        pool: { ...tabs.pool, accounts: [] },
        resets: { ...tabs.resets, columns },
      },
      recommendations: { ...recommendations, items: [] },
    })
  })
})

describe('the changes as they are sent', () => {
  it('are what their schema says, made of steps that are text already', () => {
    const [before, after] = [originOf(aSnapshot(pool)), originOf(aSnapshot(pool.slice(1)))]
    const steps = [statusStep(before, after), statusStep(after, before)]
    const document = JSON.parse(
      statusChangesText(
        { since: 'old', etag: 'new' },
        steps.map((step) => JSON.stringify(step)),
      ),
    )

    expect(document).toMatchObject({ contractVersion: '1.1', since: 'old', etag: 'new' })
    expect(document.steps).toEqual(sent(steps))
    expect(v.parse(statusChangesSchema, document)).toEqual(document)
  })
})
