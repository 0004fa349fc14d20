import fc from 'fast-check'
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

describe('two readings of one window', () => {
  interface FileReading {
    readonly percent: number
    readonly ageSeconds: number
    readonly resetsInSeconds?: number
  }
  /** One Plus account with these files, evaluated `seconds` after NOW; of equal files the first ranks best. */
  const filesAt = (seconds: number, files: readonly FileReading[]) => ({
    ...aSnapshot(
      files.map(({ percent, ageSeconds, resetsInSeconds = 400_000 }, index) => {
        const { selector } = anAccount('a')
        const sample = aQuotaSample(
          { fiveHour: 100, week: percent, weekResetsInSeconds: resetsInSeconds },
          { sampledAt: plusMs(NOW, (seconds - ageSeconds) * 1000) },
        )
        return [
          anAccount('a', { selector: { ...selector, authName: `file-${index}.json` } }),
          evidenceOf([sample]),
        ] as const
      }),
    ),
    evaluatedAt: plusMs(NOW, seconds * 1000),
  })
  /** Percent of the week burned over these steps. */
  const burnedOver = (steps: readonly ReturnType<typeof filesAt>[], from = nothingRecorded) => {
    let memory: PoolMemory = from
    let units = 0
    for (const step of steps) {
      const next = poolStep(memory, step)
      memory = next.memory
      for (const point of next.points) if (point.windowId === 'week') units += point.burnedUnits
    }
    return Math.round(units * 1e5) / 1e3
  }
  const one = (percent: number, resetsInSeconds?: number) =>
    [
      { percent, ageSeconds: 0, ...(resetsInSeconds === undefined ? {} : { resetsInSeconds }) },
    ] as const

  it.each<{ why: string; readings: readonly (readonly FileReading[])[]; burned: number }>([
    {
      why: 'that only differ as readings do burn once',
      readings: [one(41), one(40.3), one(41), one(40.3), one(41), one(40.3)],
      burned: 0.7,
    },
    {
      why: 'that fall below the least so far burn the rest',
      readings: [one(41), one(40.3), one(41), one(40)],
      burned: 1,
    },
    { why: 'two points apart are the same', readings: [one(40), one(42), one(40)], burned: 0 },
    {
      why: 'further apart are a refill, and burn again',
      readings: [one(40), one(42.1), one(40)],
      burned: 2.1,
    },
    {
      why: 'after a reset burn from the first, however little it gave back',
      readings: [one(98.5, 400_000), one(99.5, 500_000), one(99, 500_000)],
      burned: 0.5,
    },
    {
      why: 'of two files: the newer one counts',
      readings: [
        [
          { percent: 40, ageSeconds: 0 },
          { percent: 90, ageSeconds: 600 },
        ],
        [
          { percent: 90, ageSeconds: 660 },
          { percent: 40, ageSeconds: 60 },
        ],
        [
          { percent: 39, ageSeconds: 0 },
          { percent: 90, ageSeconds: 720 },
        ],
      ],
      burned: 1,
    },
    {
      why: 'of a file that left: the older one that remains is none',
      readings: [
        [
          { percent: 40, ageSeconds: 0 },
          { percent: 90, ageSeconds: 600 },
        ],
        [{ percent: 90, ageSeconds: 660 }],
        [
          { percent: 39, ageSeconds: 0 },
          { percent: 90, ageSeconds: 720 },
        ],
      ],
      burned: 1,
    },
  ])('$why', ({ readings, burned }) => {
    expect(burnedOver(readings.map((files, index) => filesAt(60 * index, files)))).toBe(burned)
  })

  it('jitter across a restart burns nothing either', () => {
    const { memory, readings } = poolStep(nothingRecorded, filesAt(0, one(40.3)))

    for (const from of [memory, memoryOf(readings)])
      expect(burnedOver([filesAt(60, one(41)), filesAt(120, one(40.3))], from)).toBe(0)
  })

  it('never burn more than there was, in whatever order two files are read', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 20 })), { maxLength: 30 }),
        (steps) => {
          // Both files read the same fall, each up to one point off.
          let left = 900
          const readAt = [0, 0]
          const shown = [90, 90]
          const pools = steps.map(([isFirst, fall], index) => {
            left -= fall
            const file = isFirst ? 0 : 1
            shown[file] = left / 10 + (isFirst ? 0 : 1)
            readAt[file] = 60 * index
            return filesAt(
              60 * index,
              shown.map((percent, of) => ({
                percent,
                ageSeconds: 60 * index - (readAt[of] ?? 0),
              })),
            )
          })

          expect(burnedOver(pools)).toBeLessThanOrEqual((900 - left) / 10 + 1.001)
        },
      ),
      { numRuns: 100 },
    )
  })
})
