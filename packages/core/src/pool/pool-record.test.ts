import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultPolicy, evaluateSnapshot } from '../evaluate.ts'
import { plusMs } from '../facts/time.ts'
import { mainWindows, WEEK_SECONDS } from '../facts/window.ts'
import {
  aLiveObservation,
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  NOW,
} from '../testing/builders.ts'
import { windowNamed, windowNameOf } from './capacity-point.ts'
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
const mixed = (fiveHour: number) =>
  aSnapshot(
    (['codex', 'claude', 'kimi'] as const).map((provider) => [
      anAccount(provider, { provider, claimedPlan: provider === 'claude' ? 'max_5x' : 'plus' }),
      evidenceOf([aQuotaSample({ fiveHour, week: 60, fiveHourResetsInSeconds: 9_000 })]),
    ]),
  )
const burnOf = (memory: PoolMemory, next: ReturnType<typeof pool>) =>
  Object.fromEntries(
    poolStep(memory, next).points.map(({ windowId, burnedUnits }) => [
      windowId,
      Math.round(burnedUnits * 1e6) / 1e6,
    ]),
  )

describe('the course of several providers', () => {
  it('is one for each, in its own units', () => {
    const { memory } = poolStep(nothingRecorded, mixed(80))
    const { points } = poolStep(memory, mixed(60))
    const burned = points.map((point) => [windowNameOf(point), Math.round(point.burnedUnits * 10)])

    expect(Object.fromEntries(burned)).toEqual({ '5h': 2, 'claude/5h': 10, 'kimi/5h': 2 })
  })

  it('is also one of Codex where it has no account, which shows that the pool was watched', () => {
    const alone = aSnapshot([
      [anAccount('ada', { provider: 'kimi' }), evidenceOf([aQuotaSample({})])],
    ])
    const { points } = poolStep(nothingRecorded, alone)

    expect(points.map((point) => [windowNameOf(point), point.trackedUnits])).toEqual([
      ['5h', 0],
      ['week', 0],
      ['kimi/5h', 1],
      ['kimi/week', 1],
    ])
  })

  it.each([
    { provider: 'codex', windowId: '5h', name: '5h' },
    { provider: 'claude', windowId: 'week', name: 'claude/week' },
    { provider: 'a/b', windowId: '5h', name: 'a/b/5h' },
  ] as const)('is stored under $name', ({ name, ...window }) => {
    expect(windowNameOf(window)).toBe(name)
    expect(windowNamed(name)).toEqual(window)
  })

  it.each(['month', 'claude/', '', 'claude/5h/'])('knows no window %j', (name) => {
    expect(windowNamed(name)).toBeNull()
  })
})

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

  it('is told when only what is usable changes', () => {
    const same = pool(60, {
      a: { fiveHour: 80, week: 60 },
      b: { fiveHour: 50, week: 40, plan: 'pro' },
    })
    const pools = same.pools.map((one) => ({
      ...one,
      capacity: { ...one.capacity, '5h': { ...one.capacity['5h'], usableUnits: 1 } },
    }))
    const { points } = poolStep(first.memory, { ...same, pools })
    expect(points.map(({ windowId, usableUnits }) => [windowId, usableUnits])).toEqual([['5h', 1]])
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
    readonly resetsInSeconds?: number | null
  }
  /** One Plus account with these files, evaluated `seconds` after NOW; among equal files the first ranks best. */
  const filesAt = (seconds: number, files: readonly FileReading[]) => {
    const entries = files.map(({ percent, ageSeconds, resetsInSeconds = 400_000 }, index) => {
      const { selector } = anAccount('a')
      const sample = aQuotaSample(
        { fiveHour: 100, week: percent, weekResetsInSeconds: resetsInSeconds },
        { sampledAt: plusMs(NOW, (seconds - ageSeconds) * 1000) },
      )
      return [
        anAccount('a', { selector: { ...selector, authName: `file-${index}.json` } }),
        evidenceOf([sample]),
      ] as const
    })
    const past = { previous: null, recordedChanges: [] }
    return evaluateSnapshot(
      aLiveObservation(entries),
      defaultPolicy,
      plusMs(NOW, seconds * 1000),
      past,
    )
  }
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
  const one = (percent: number, resetsInSeconds?: number | null) =>
    [
      { percent, ageSeconds: 0, ...(resetsInSeconds === undefined ? {} : { resetsInSeconds }) },
    ] as const

  /** Percents, with the seconds to their reset where it matters, as in `40 95@300 100@none 97@week-200`. */
  const readingsOf = (text: string) =>
    text.split(' ').map((reading) => {
      const [percent, resets] = reading.split('@')
      if (resets === undefined) return one(Number(percent))
      const seconds = resets.startsWith('week')
        ? WEEK_SECONDS + Number(resets.slice(4))
        : Number(resets)
      return one(Number(percent), resets === 'none' ? null : seconds)
    })

  it.each<readonly [why: string, readings: string, burned: number]>([
    ['that only differ as readings do burn once', '41 40.3 41 40.3 41 40.3', 0.7],
    ['that fall below the least so far burn the rest', '41 40.3 41 40', 1],
    ['two points apart are the same', '40 42 40', 0],
    ['further apart, but of one window, are the same too', '40 72 40', 0],
    ['that show twice in a row what came back burn from the first of them', '40 95 93 90', 5],
    ['that show 19 points more twice in a row are the same', '40 59 59 41 40', 0],
    [
      'after a reset burn from the first, however little it gave back',
      '98.5@400000 99.5@500000 99@500000',
      0.5,
    ],
    [
      'of two windows that run at once: the one that is reset later',
      '80@400000 60@300000 79@400000 59@300000',
      1,
    ],
    ['of which one names no reset while the window runs: none has begun', '60 100@none 59', 1],
    [
      'of a window that has begun since the last one burn all that is gone of it',
      '100@week-600 97@week+30',
      3,
    ],
    ['of a window that ran before the last one burn nothing', '100@week-600 97@week-200', 0],
    ['around a reset burn what is gone of the new window', '40@30 40@30 95@week+100', 5],
  ])('%s: %s', (_, readings, burned) => {
    const steps = readingsOf(readings).map((files, index) => filesAt(60 * index, files))

    expect(burnedOver(steps)).toBe(burned)
  })

  it.each<readonly [why: string, readings: readonly (readonly FileReading[])[], burned: number]>([
    [
      'of two files: the newer one counts',
      [
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
      1,
    ],
    [
      'of a file that left: the older one that remains is none',
      [
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
      1,
    ],
  ])('%s', (_, readings, burned) => {
    expect(burnedOver(readings.map((files, index) => filesAt(60 * index, files)))).toBe(burned)
  })

  it('jitter across a restart burns nothing either', () => {
    const { memory, readings } = poolStep(nothingRecorded, filesAt(0, one(40.3)))

    for (const from of [memory, memoryOf(readings)])
      expect(burnedOver([filesAt(60, one(41)), filesAt(120, one(40.3))], from)).toBe(0)
  })

  it.each([
    { why: 'one course of windows', courseCount: 1 },
    { why: 'a course of windows each', courseCount: 3 },
  ])('of files that report $why never burn more than its true fall', ({ courseCount }) => {
    const step = fc.record({
      waits: fc.integer({ min: 30, max: 200_000 }),
      falls: fc.integer({ min: 0, max: 30 }),
      isRefilled: fc.integer({ max: 9 }).map((one) => one === 0),
      file: fc.nat({ max: 2 }),
      behind: fc.nat({ max: 4 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const courses = Array.from({ length: courseCount }, aCourse)
        const files: FileReading[] = []
        const readAt: number[] = []
        let seconds = 0
        const pools = steps.map(({ waits, falls, isRefilled, file, behind }) => {
          seconds += waits
          const course = courses[file % courseCount]
          course?.goesOn(seconds, falls, isRefilled)
          files[file] = course?.seen(behind) ?? nothingGone
          readAt[file] = seconds
          return filesAt(
            seconds,
            files.flatMap((reading, of) => {
              return [{ ...reading, ageSeconds: seconds - (readAt[of] ?? 0) }]
            }),
          )
        })

        const fell = courses.reduce((sum, course) => sum + course.fell(), 0)
        expect(burnedOver(pools)).toBeLessThanOrEqual(fell + 0.001)
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 100 : 25 },
    )
  })
})

const nothingGone = { percent: 100, ageSeconds: 0, resetsInSeconds: null }

/** Consecutive weekly windows; the first one is already under way. */
function aCourse(_: unknown, index: number) {
  let window = { left: 800 - 100 * index, resetAt: 300_000 + 80_000 * index }
  let fallen = 0
  const past = [window]
  return {
    goesOn(seconds: number, falls: number, isRefilled: boolean) {
      if (isRefilled || window.resetAt <= seconds)
        window = { left: 1_000, resetAt: seconds + WEEK_SECONDS }
      const fall = Math.min(window.left - 10, falls)
      fallen += fall
      window = { ...window, left: window.left - fall }
      past.push(window)
    },
    /** The window as it was this many steps ago. */
    seen(behind: number) {
      const { left, resetAt } = past.at(-1 - behind) ?? window
      return { percent: left / 10, ageSeconds: 0, resetsInSeconds: resetAt }
    },
    fell: () => fallen / 10,
  }
}
