import { DAY_MS, plusMs } from '@svc/core'
import type { EngineState } from '@svc/core/service'
import { NOW, silentLog, type VirtualClock, virtualClock } from '@svc/core/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTrustedClock } from '../clock/trusted-clock.ts'
import { type StoreEvent, type StoreState, storeAfter, unopenedStore } from './store-state.ts'
import { createStoreUpkeep } from './store-upkeep.ts'
import type { WriterApi } from './writer-thread.ts'

const ENGINE: EngineState = {
  name: 'sqlite',
  walBytes: 9,
  use: {
    freeBytes: 5e9,
    roomBytes: 4e9,
    usedBytes: 1e9,
    requestCount: 1e7,
    requestsPerDay: 1e6,
    oldestRowAt: plusMs(NOW, -10 * DAY_MS),
  },
}

let clock: VirtualClock
let state: StoreState
let upkeep: ReturnType<typeof createStoreUpkeep>
let calls: string[]
let backlogs: number[]
let answerOf: (method: string) => Promise<unknown>
let lags: (number | null)[]
let forgets: boolean
beforeEach(() => {
  forgets = true
  clock = virtualClock(async () => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  })
  calls = []
  backlogs = []
  lags = []
  answerOf = async (method) =>
    method === 'forget'
      ? { more: false, backlogMs: 4_000 }
      : {
          engine: ENGINE,
          missedMs: 2_500,
          newestRecordAt: null,
          forgottenAsOf: null,
          lagSeconds: 3,
        }
  state = unopenedStore('sqlite')
  note({ kind: 'opened', engine: ENGINE })
  const trustedClock = createTrustedClock({ clock, log: silentLog })
  // A store without a row has nothing to forget; this one has been forgotten in before.
  trustedClock.storeSaid({
    newestRecordAt: plusMs(NOW, -1_000),
    forgottenAsOf: plusMs(NOW, -1_000),
  })
  trustedClock.proxySaid(NOW)
  upkeep = createStoreUpkeep({
    clock,
    trustedClock,
    state: () => state,
    note,
    call: ((method: keyof WriterApi) => {
      calls.push(method)
      return answerOf(method)
    }) as never,
    retention: { usageDays: 90, historyDays: 90 },
    forgets: () => forgets,
    report: {
      setBacklog: (seconds) => void backlogs.push(seconds),
      setLag: (seconds) => void lags.push(seconds),
    },
  })
  upkeep.begin()
})

const note = (event: StoreEvent) => {
  state = storeAfter(state, event, { now: clock.now(), nowMs: clock.monotonicMs() }).state
}

const countOf = (method: string) => calls.filter((each) => each === method).length

describe('the upkeep of an open store', () => {
  it('waits two seconds, then looks after it and forgets, each once a minute', async () => {
    await clock.advance(1_999)
    expect(calls).toEqual([])
    await clock.advance(1)
    expect(calls.sort()).toEqual(['forget', 'maintain'])
    await clock.advance(120_000)

    expect([countOf('maintain'), countOf('forget')]).toEqual([3, 3])
  })

  it('shows what it has learnt: bytes, seconds missed, of backlog, and that a standby is behind', async () => {
    await clock.advance(2_000)

    expect(state.now).toMatchObject({
      kind: 'ok',
      engine: ENGINE,
      missedSeconds: 2.5,
      disk: { freeBytes: 5e9, fullInDays: expect.closeTo(40, 2) },
    })
    expect(lags).toEqual([3])
    expect(backlogs).toEqual([4])
    await clock.advance(60_000)
    expect(state.now).toMatchObject({ backlogSeconds: 4 })
  })

  it('forgets on at once, in pauses, while more is left', async () => {
    let left = 3
    const before = answerOf
    answerOf = async (method) => {
      if (method !== 'forget') return before(method)
      left -= 1
      return { more: left > 0, backlogMs: left * 1_000 }
    }
    await clock.advance(2_000 + 99)
    expect(countOf('forget')).toBe(1)
    await clock.advance(1_000)

    expect(countOf('forget')).toBe(3)
    expect(backlogs).toEqual([2, 1, 0])
  })

  it('pauses nine times as long as a slot of forgetting took', async () => {
    const before = answerOf
    answerOf = async (method) => {
      if (method !== 'forget') return before(method)
      await new Promise<void>((resolve) => void clock.schedule(200, resolve))
      return { more: true, backlogMs: 1_000 }
    }
    await clock.advance(2_000 + 200 + 1_799)
    expect(countOf('forget')).toBe(1)
    await clock.advance(1)

    expect(countOf('forget')).toBe(2)
  })

  it('tries again a minute after a round that failed', async () => {
    answerOf = async () => {
      throw new Error('busy')
    }
    await clock.advance(62_000)

    expect([countOf('maintain'), countOf('forget')]).toEqual([2, 2])
    expect(state.now).toMatchObject({ kind: 'ok', at: NOW })
  })

  it('rests until it is begun again', async () => {
    await clock.advance(2_000)
    upkeep.pause()
    await clock.advance(300_000)
    expect(calls).toHaveLength(2)
    upkeep.begin()
    await clock.advance(2_000)

    expect(calls).toHaveLength(4)
  })

  it('does not go on with a round that was under way when it was paused', async () => {
    const finishing: (() => void)[] = []
    answerOf = () =>
      new Promise((resolve) => {
        finishing.push(() => resolve({ more: true, backlogMs: 1_000, engine: ENGINE, missedMs: 0 }))
      })
    await clock.advance(2_000)
    upkeep.pause()
    for (const finish of finishing) finish()
    await clock.advance(300_000)

    expect(calls).toHaveLength(2)
    expect(backlogs).toEqual([])
  })

  it('does not end because the store was silent for a while', async () => {
    await clock.advance(2_000)
    note({ kind: 'call_hangs', call: 'a' })
    answerOf = async () => {
      throw new Error('cannot_open')
    }
    await clock.advance(61_000)
    note({ kind: 'call_returned', call: 'a' })
    calls = []
    await clock.advance(61_000)

    expect(calls.sort()).toEqual(['forget', 'maintain'])
  })
})

it('forgets nothing while another monitor does, and everything once that one is gone', async () => {
  forgets = false
  await clock.advance(5 * 60_000)
  expect(calls).not.toContain('forget')
  expect(calls).toContain('maintain')

  forgets = true
  await clock.advance(60_000)
  expect(calls).toContain('forget')
})
