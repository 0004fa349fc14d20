import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epochMs, plusMs } from '../facts/time.ts'
import { piecesOf, planUsage, tiers, tiersOfRates, tiersOfTotal } from './usage-plan.ts'
import type { UsageQuestion } from './usage-question.ts'
import { bucketWidths, customSpanOf } from './usage-span.ts'

const DAY_MS = 86_400_000
const NOW = epochMs(Date.UTC(2026, 10, 20, 12, 34, 56))
const facts = { now: NOW, rowsSince: null, pairsSince: null, requests: 1_000 }
const span = (fromMs: number, toMs = 0) =>
  customSpanOf({ from: plusMs(NOW, -fromMs), to: plusMs(NOW, -toMs) })
const question = (asked: Partial<UsageQuestion>): UsageQuestion => ({
  range: 'custom',
  group: 'total',
  metric: 'tokens',
  top: 8,
  ...asked,
})

it('each width of sums divides the next, and a wider sum is kept longer', () => {
  for (const [index, { seconds, keptSeconds }] of tiers.slice(1).entries()) {
    expect(seconds % (tiers[index]?.seconds ?? 0)).toBe(0)
    expect(keptSeconds).toBeGreaterThan(tiers[index]?.keptSeconds ?? 0)
  }
})

describe('the pieces of a span', () => {
  const kept = { total: tiersOfTotal, account: tiers, client_rate: tiersOfRates } as const
  it('have no hole and nothing twice, and are kept', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('total', 'account', 'client_rate', 'rows'),
        fc.integer({ min: 1, max: 400 * DAY_MS }),
        fc.integer({ min: 0, max: 50 * DAY_MS }),
        fc.constantFrom(null, ...bucketWidths),
        (source, lengthMs, agoMs, bucketSeconds) => {
          const end = plusMs(NOW, -agoMs)
          const from = plusMs(end, -lengthMs)
          const pieces = piecesOf(
            source,
            { from, end },
            { now: NOW, bucketSeconds, ratesUntil: null },
          )
          let reached: number = from
          for (const { seconds, from: start, to, sign } of pieces) {
            if (sign === -1) {
              expect([start, to]).toEqual([end, reached])
              expect(to).toBeGreaterThan(NOW)
              reached = start
              continue
            }
            expect(start).toBe(reached)
            reached = to
            if (seconds === null) continue
            expect([start % (seconds * 1000), to % (seconds * 1000)]).toEqual([0, 0])
            if (bucketSeconds !== null) expect(bucketSeconds % seconds).toBe(0)
            const tier = kept[source as 'total'].find((one) => one.seconds === seconds)
            expect(start / 1000 + seconds).toBeGreaterThan(NOW / 1000 - (tier?.keptSeconds ?? 0))
          }
          expect(reached).toBe(end)
        },
      ),
    )
  })

  it('count each request once, wherever the sums by rate end', () => {
    const ago = fc.oneof(fc.nat(3 * 7_200_000), fc.nat(40 * DAY_MS))
    fc.assert(
      fc.property(
        fc.record({ from: ago, end: ago, at: ago, heldTo: ago, aheadMs: fc.nat(7_200_000) }),
        fc.constantFrom(null, ...bucketWidths),
        ({ from: one, end: other, at: age, heldTo, aheadMs }, bucketSeconds) => {
          const [from, end] = [one, other].sort((a, b) => b - a).map((ms) => plusMs(NOW, -ms))
          const ratesUntil = plusMs(NOW, aheadMs - heldTo)
          const at = plusMs(NOW, aheadMs - age)
          const asked = { now: NOW, bucketSeconds, ratesUntil }
          const pieces = piecesOf('client_rate', { from: from ?? NOW, end: end ?? NOW }, asked)
          const counted = pieces.filter(
            (piece) =>
              at >= piece.from && at < piece.to && (piece.seconds === null || at < ratesUntil),
          )

          expect(counted.reduce((sum, { sign }) => sum + sign, 0)).toBe(
            at >= (from ?? NOW) && at < (end ?? NOW) ? 1 : 0,
          )
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('of a month are days inside, two hours towards the edges, and rows of less than two hours', () => {
    const pieces = piecesOf(
      'account_rate',
      { from: plusMs(NOW, -20 * DAY_MS), end: plusMs(NOW, -DAY_MS) },
      { now: NOW, bucketSeconds: null, ratesUntil: null },
    )

    expect(pieces.map(({ seconds, from, to }) => [seconds, (to - from) / 3_600_000])).toEqual([
      [null, expect.closeTo(1.418, 3)],
      [7_200, 10],
      [86_400, 18 * 24],
      [7_200, 12],
      [null, expect.closeTo(0.582, 3)],
    ])
  })
})

describe('a question is answered from', () => {
  const WEEK = span(7 * DAY_MS)
  it.each([
    ['all usage', {}, 'total'],
    ['one group', { group: 'model' }, 'model'],
    ['client keys', { group: 'api' }, 'client'],
    ['one filter of the group', { group: 'model', filter: { model: ['m'] } }, 'model'],
    [
      'a filter of another dimension',
      { group: 'model', filter: { provider: ['p'] } },
      'total_rate',
    ],
    ['a total of one model', { filter: { model: ['m'] } }, 'account_rate'],
    ['a total of one client', { filter: { client: ['c'] } }, 'client'],
    ['one client by model', { group: 'model', filter: { client: ['c'] } }, 'client_rate'],
    ['account and model', { group: 'account', second: 'model' }, 'account_rate'],
    ['account and client', { group: 'account', second: 'client' }, 'rows'],
    ['accounts of one client', { group: 'account', filter: { client: ['c'] } }, 'rows'],
    ['failures', { group: 'model', filter: { result: 'failed' } }, 'rows'],
    ['a class of failures', { filter: { status: ['auth'] } }, 'rows'],
  ] as const)('%s', (_, asked, source) => {
    expect(planUsage(question(asked), WEEK, facts)).toMatchObject({ source, coarser: false })
  })

  it('the list of accounts, where only the provider is told apart', () => {
    const asked = question({ filter: { provider: ['p'] }, listed: new Map() })
    expect(planUsage(asked, span(DAY_MS), facts)).toMatchObject({ source: 'account' })
  })

  const PAIR = question({ group: 'model', filter: { client: ['c'] } })
  const DAY = span(DAY_MS)
  it.each([
    ['rows in buckets finer than two hours', DAY, {}, { source: 'rows', coarser: false }],
    [
      'sums in wider buckets, of more requests than are counted one by one',
      DAY,
      { requests: 1_000_001 },
      { source: 'client_rate', coarser: true, span: { bucketSeconds: 7_200 } },
    ],
    [
      'sums in wider buckets of a wider span, where the rows are gone',
      DAY,
      { rowsSince: NOW },
      { source: 'client_rate', coarser: true, widened: true },
    ],
    [
      'whole days, where no others are kept',
      span(60 * DAY_MS, 40 * DAY_MS),
      { rowsSince: plusMs(NOW, -30 * DAY_MS) },
      { source: 'client_rate', coarser: true, widened: true, span: { bucketSeconds: 86_400 } },
    ],
    [
      'rows, before there were sums by rate',
      WEEK,
      { pairsSince: plusMs(NOW, -DAY_MS) },
      { source: 'rows' },
    ],
  ] as const)('%s', (_, asked, some, plan) => {
    expect(planUsage(PAIR, asked, { ...facts, ...some })).toMatchObject(plan)
  })

  it.each([
    ['too_many_requests', { requests: 1_000_001 }],
    ['rows_gone', { rowsSince: plusMs(NOW, -DAY_MS) }],
  ] as const)('nothing, because %s', (reason, some) => {
    const asked = question({ group: 'account', second: 'client' })
    expect(planUsage(asked, WEEK, { ...facts, ...some })).toBe(reason)
  })
})

it('a custom span has at most 800 buckets, and all of it is in them', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3_000_000 }),
      fc.constantFrom('auto', '15m', '1h', '6h', '1d'),
      (minutes, bucket) => {
        const asked = customSpanOf({ from: plusMs(NOW, -minutes * 60_000), to: NOW }, bucket)

        expect(asked.bucketCount).toBeLessThanOrEqual(801)
        expect(asked.start).toBeLessThanOrEqual(asked.from)
        expect(asked.start % (asked.bucketSeconds * 1000)).toBe(0)
        const end = asked.start + asked.bucketCount * asked.bucketSeconds * 1000
        expect(end).toBeGreaterThanOrEqual(asked.end)
        expect(end - asked.bucketSeconds * 1000).toBeLessThan(asked.end)
      },
    ),
  )
})
