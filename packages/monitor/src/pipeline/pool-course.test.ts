import { type ProxyObservation, plusMs } from '@svc/core'
import {
  type PoolMemoryUpdate,
  type PoolRecord,
  type RememberedPool,
  trendsOf,
} from '@svc/core/pool'
import { soleDuty } from '@svc/core/service'
import {
  aLiveObservation,
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  NOW,
  virtualClock,
} from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import type { History } from '../store/history.ts'
import type { SharedHistory } from '../store/shared-history.ts'
import type { TrendSeed } from '../store/store-threads.ts'
import { createPoolCourse } from './pool-course.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
const NOTHING_KNOWN: TrendSeed = {
  readings: [],
  points: [],
  burnHours: new Map(),
  changes: [],
}
const entryOf = (name: string) =>
  [anAccount(name), evidenceOf([aQuotaSample({ fiveHour: 50 })])] as const

/** The course of the pool that `show` says, in a history that takes it unless `fail` says otherwise. */
function aCourse({ shared = null }: { readonly shared?: SharedHistory | null } = {}) {
  const clock = virtualClock(settle)
  const kept: { readonly record: PoolRecord; readonly memory: PoolMemoryUpdate | null }[] = []
  let observed: ProxyObservation = aLiveObservation([])
  let isFailing = false
  let minutes = 0
  const history: Pick<History, 'keep' | 'shared'> = {
    shared,
    async keep(record, memory) {
      if (isFailing) throw new Error('the disk is full')
      kept.push({ record, memory })
    },
  }
  const course = createPoolCourse(
    {
      source: { start() {}, latest: () => observed, stop: () => Promise.resolve() },
      history: history as History,
    },
    { everySeconds: 60, multiplier: 6, clock },
  )
  return {
    course,
    /** File names of the accounts that were kept, by the writing that kept them. */
    keptNames: () => kept.map(({ memory }) => memory?.texts.map(([authName]) => authName) ?? null),
    kept,
    fail(is: boolean) {
      isFailing = is
    },
    /** A minute later the pool has these accounts. */
    async show(...names: readonly string[]) {
      const entries = names.map(entryOf)
      observed = aLiveObservation(entries)
      const evaluatedAt = plusMs(NOW, minutes * 60_000)
      course.onSnapshot({ ...aSnapshot(entries), evaluatedAt })
      minutes += 1
      await clock.advance(60_000)
    },
  }
}
const nameOf = (name: string) => anAccount(name).selector.authName

describe('the course of a pool', () => {
  it('is kept with each account once, for as long as the account is the same', async () => {
    const { course, keptNames, show } = aCourse()
    course.seed(NOTHING_KNOWN, null)
    await show('ana')
    await show('ana', 'bob')

    expect(keptNames()).toEqual([[nameOf('ana')], [nameOf('bob')]])
  })

  it('says how the proxy stood, which the next process compares with', async () => {
    const { course, kept, show } = aCourse()
    course.seed(NOTHING_KNOWN, null)
    await show('ana')

    expect(kept[0]?.memory).toMatchObject({ source: 'live', gatewayUp: true, listedAt: NOW })
  })

  it('does not write again what an earlier process has left', async () => {
    const { course, keptNames, show } = aCourse()
    const [account, evidence] = entryOf('ana')
    const remembered: RememberedPool = {
      source: 'live',
      gatewayUp: true,
      listedAt: NOW,
      accounts: [{ account, evidence }],
    }
    course.seed(NOTHING_KNOWN, remembered)
    await show('ana', 'bob')

    expect(keptNames()).toEqual([[nameOf('bob')]])
  })

  it.each([
    { writesCourse: true, points: 1 },
    { writesCourse: false, points: 0 },
  ])('is the own one for who writes it: $writesCourse', async ({ writesCourse, points }) => {
    const { course, show } = aCourse({
      shared: {
        use: () => undefined,
        dutyOf: () => soleDuty,
        standing: () => [],
        writesCourse: () => writesCourse,
        anotherWritesCourse: () => !writesCourse,
      },
    })
    course.seed(NOTHING_KNOWN, null)
    await show('ana')
    course.follow({ ...NOTHING_KNOWN, remembered: null, asked: [], told: new Map() })

    expect(trendsOf(course.latest(), 'codex')['5h'].past).toHaveLength(points)
  })

  it('without a history is followed all the same', async () => {
    const clock = virtualClock(settle)
    const course = createPoolCourse(
      {
        source: { start() {}, latest: () => aLiveObservation([]), stop: () => Promise.resolve() },
        history: null,
      },
      { everySeconds: 60, multiplier: 6, clock },
    )
    course.seed(NOTHING_KNOWN, null)
    course.onSnapshot(aSnapshot([entryOf('ana')]))

    expect(trendsOf(course.latest(), 'codex')['5h'].past).toHaveLength(1)
  })
})
