import { type EpochMs, plusMs } from '@svc/core'
import { courseSpanOf } from '@svc/core/account'
import { CYCLES_RANGE, poolCyclesOf } from '@svc/core/pool'
import { NOW, virtualClock } from '@svc/core/testing'
import { catalogueOf, type StatsWindows } from '@svc/views'
import { describe, expect, it } from 'vitest'
import type { CyclesSource } from '../answers/encode-course.ts'
import type { ReadyAnswer } from '../answers/ready-answer.ts'
import { ReaderBusy } from '../store/store-reader.ts'
import { type CycleAnswersDeps, createCycleAnswers } from './cycle-answers.ts'

const words = catalogueOf('en')
type Accounts = NonNullable<ReturnType<CycleAnswersDeps['latest']>>['accounts']
const account = (accountKey: string, capacityWeight: number, countedInCapacity = true) =>
  ({ selector: { accountKey }, capacityWeight, countedInCapacity }) as Accounts[number]

function answers({ withStore = true }: { readonly withStore?: boolean } = {}) {
  const clock = virtualClock(async () => undefined)
  const asked: [string[], EpochMs][] = []
  let failure: Error | null = null
  let snapshot: ReturnType<CycleAnswersDeps['latest']> = null
  const source: CyclesSource = async (weights, now) => {
    asked.push([[...weights].map(String), now])
    if (failure !== null) throw failure
    return poolCyclesOf({ accounts: [], unwatched: [] }, weights, courseSpanOf(CYCLES_RANGE, now))
  }
  const { answer } = createCycleAnswers({
    source: withStore ? source : null,
    latest: () => snapshot,
    clock,
    words,
  })
  return {
    clock,
    asked,
    body: async () => bodyOf(await answer()),
    answer,
    show: (accounts: Accounts, evaluatedAt = NOW) => {
      snapshot = { accounts, evaluatedAt }
    },
    fail: (next: Error | null) => {
      failure = next
    },
  }
}
const bodyOf = (answer: ReadyAnswer): StatsWindows =>
  JSON.parse(Buffer.from(answer.plain.bytes).toString())

describe('answers of how full the windows were', () => {
  it('ask about the accounts that count in the capacity, as of the last whole five minutes', async () => {
    const { show, body, asked } = answers()
    show([account('a', 1), account('b', 20), account('free', 0), account('again', 1, false)])

    expect(await body()).toMatchObject({ available: true, watchedSeconds: 2_592_000 })
    expect(asked).toEqual([[['a,1', 'b,20'], Math.floor(NOW / 300_000) * 300_000]])
  })

  it('are made once in five minutes, and again where the accounts are others', async () => {
    const { show, body, asked } = answers()
    show([account('a', 1)])
    const first = await body()
    show([account('a', 1)], plusMs(NOW, 1_000))
    expect(await body()).toEqual(first)
    expect(asked).toHaveLength(1)

    show([account('a', 1), account('b', 1)])
    await body()
    show([account('a', 1), account('b', 1)], plusMs(NOW, 300_000))
    await body()
    expect(asked).toHaveLength(3)
  })

  it('tell nothing of a week before the first snapshot, when no account counts yet', async () => {
    const { body, show } = answers()
    const unknown = { expiredUnits: null, notBegunUnits: null, trackedUnits: null }
    expect((await body()).windows).toMatchObject([unknown, unknown])

    show([account('a', 1)])
    expect((await body()).windows[1]).toMatchObject({ expiredUnits: 0 })
  })

  it('say that there is no store', async () => {
    expect(await answers({ withStore: false }).body()).toMatchObject({
      available: false,
      reason: 'no_store',
    })
  })

  it('say that the store cannot be read, until it can be', async () => {
    const { fail, body } = answers()
    fail(new Error('lost'))
    expect(await body()).toMatchObject({ available: false, reason: 'store_unavailable' })

    fail(null)
    expect(await body()).toMatchObject({ available: true })
  })

  it('are refused while too many ask', async () => {
    const { fail, answer } = answers()
    fail(new ReaderBusy('busy'))

    await expect(answer()).rejects.toBeInstanceOf(ReaderBusy)
  })
})
