import { describe, expect, it } from 'vitest'
import { plusMs } from '../facts/time.ts'
import { mainWindows } from '../facts/window.ts'
import { anAccount, aQuotaSample, aSnapshot, evidenceOf, NOW } from '../testing/builders.ts'
import { memoryOf, nothingRecorded, type PoolMemory, poolStep } from './pool-record.ts'

const pool = (
  seconds: number,
  accounts: Readonly<
    Record<
      string,
      {
        readonly fiveHour: number
        readonly week: number
        readonly disabled?: boolean
        readonly plan?: string
      } | null
    >
  >,
) => ({
  ...aSnapshot(
    Object.entries(accounts).map(([name, quota]) => [
      anAccount(name, {
        claimedPlan: quota?.plan ?? 'plus',
        operatorDisabled: quota?.disabled ?? false,
      }),
      quota === null
        ? null
        : evidenceOf([
            aQuotaSample({
              fiveHour: quota.fiveHour,
              week: quota.week,
              fiveHourResetsInSeconds: 9_000,
              weekResetsInSeconds: 400_000,
            }),
          ]),
    ]),
  ),
  evaluatedAt: plusMs(NOW, seconds * 1000),
})
const burnOf = (memory: PoolMemory, next: ReturnType<typeof pool>) =>
  Object.fromEntries(
    poolStep(memory, next).points.map(({ windowId, burnedUnits }) => [
      windowId,
      Math.round(burnedUnits * 1e6) / 1e6,
    ]),
  )

describe('the course of a pool', () => {
  it('says of each reading what it came with and when it was taken', () => {
    const { readings } = poolStep(nothingRecorded, pool(0, { a: { fiveHour: 80, week: 60 } }))

    expect(readings).toHaveLength(2)
    for (const reading of readings)
      expect(reading).toMatchObject({ origin: 'direct', sampledAt: aQuotaSample({}).sampledAt })
  })

  const first = poolStep(
    nothingRecorded,
    pool(0, { a: { fiveHour: 80, week: 60 }, b: { fiveHour: 50, week: 40, plan: 'pro' } }),
  )

  it('begins with a point of each window and every reading', () => {
    expect(
      first.points.map(({ windowId, knownUnits, trackedUnits, burnedUnits }) => [
        windowId,
        knownUnits,
        trackedUnits,
        burnedUnits,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['5h', 10.8, 21, 0],
        ['week', 8.6, 21, 0],
      ]),
    )
    expect(first.points).toHaveLength(mainWindows.length)
    expect(first.readings).toHaveLength(2 * mainWindows.length)
  })

  it.each<
    readonly [why: string, next: ReturnType<typeof pool>, burned: Readonly<Record<string, number>>]
  >([
    [
      'a fall is burn, by the weight of the account',
      pool(60, { a: { fiveHour: 70, week: 59 }, b: { fiveHour: 40, week: 38, plan: 'pro' } }),
      { '5h': 2.1, week: 0.41 },
    ],
    [
      'a rise is a refill',
      pool(60, { a: { fiveHour: 100, week: 100 }, b: { fiveHour: 100, week: 40, plan: 'pro' } }),
      { '5h': 0, week: 0 },
    ],
    [
      'a refill of one does not hide the burn of another',
      pool(60, { a: { fiveHour: 100, week: 60 }, b: { fiveHour: 45, week: 40, plan: 'pro' } }),
      { '5h': 1 },
    ],
    ['who leaves burns nothing', pool(60, { a: { fiveHour: 80, week: 60 } }), { '5h': 0, week: 0 }],
    [
      'who joins burns nothing',
      pool(60, {
        a: { fiveHour: 80, week: 60 },
        b: { fiveHour: 50, week: 40, plan: 'pro' },
        c: { fiveHour: 1, week: 1 },
      }),
      { '5h': 0, week: 0 },
    ],
    [
      'who is disabled burns nothing',
      pool(60, {
        a: { fiveHour: 80, week: 60 },
        b: { fiveHour: 10, week: 10, plan: 'pro', disabled: true },
      }),
      { '5h': 0, week: 0 },
    ],
    [
      'who becomes unknown burns nothing',
      pool(60, { a: { fiveHour: 80, week: 60 }, b: null }),
      { '5h': 0, week: 0 },
    ],
  ])('%s', (_, next, burned) => {
    expect(burnOf(first.memory, next)).toMatchObject(burned)
  })

  it('is told when it changes, and once in a quarter of an hour', () => {
    const same = { a: { fiveHour: 80, week: 60 }, b: { fiveHour: 50, week: 40, plan: 'pro' } }
    const quiet = poolStep(first.memory, pool(60, same))
    expect([quiet.points, quiet.readings]).toEqual([[], []])
    const later = poolStep(quiet.memory, pool(900, same))
    expect(later.points).toHaveLength(mainWindows.length)
    expect(later.readings).toEqual([])
  })

  it('goes on from what an earlier process recorded', () => {
    const memory = memoryOf(first.readings)
    expect(burnOf(memory, pool(600, { a: { fiveHour: 60, week: 60 } }))).toMatchObject({
      '5h': 0.2,
      week: 0,
    })
  })
})
