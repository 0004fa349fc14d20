import { silentLog, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { superviseWorker } from './supervise-worker.ts'

/** A pipeline played by the test. */
interface Played {
  readonly called: string[]
  /** Whether it answers. */
  answers: boolean
  /** Whether it ends on request. */
  ends: boolean
  isTerminated: boolean
  readonly isCurrent: () => boolean
  crash(): void
}

function kept() {
  const turns = async () => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  const clock = virtualClock(turns)
  const played: Played[] = []
  const heard: string[] = []
  const pipeline = superviseWorker({
    start: (isCurrent, onEnd) => {
      const one: Played = {
        called: [],
        answers: true,
        ends: true,
        isTerminated: false,
        isCurrent,
        crash: () => onEnd(null),
      }
      played.push(one)
      return {
        call(method) {
          one.called.push(method)
          return one.answers ? (Promise.resolve() as never) : new Promise(() => undefined)
        },
        tell: (method) => void one.called.push(method),
        pendingCount: () => 0,
        terminate() {
          one.isTerminated = true
          return one.ends ? Promise.resolve() : new Promise(() => undefined)
        },
        end: async () => true,
      }
    },
    onLost: () => heard.push('lost'),
    onReplaced: () => heard.push('replaced'),
    clock,
    log: silentLog,
  })
  const last = () => played.at(-1) as Played
  return { clock, pipeline, played, heard, last }
}

describe('a pipeline that ends', () => {
  it('is started again, later each time, and half a minute later at the most', async () => {
    const { clock, played, heard, last } = kept()
    const seen: number[] = []
    for (let round = 0; round < 9; round += 1) {
      const count = played.length
      const from = clock.monotonicMs()
      last().crash()
      while (played.length === count) await clock.advance(50)
      seen.push(clock.monotonicMs() - from)
    }

    expect(seen).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
    expect(heard.slice(0, 4)).toEqual(['lost', 'replaced', 'lost', 'replaced'])
  })

  it('is started again soon when the one before ran for a minute', async () => {
    const { clock, played, last } = kept()
    for (let round = 0; round < 4; round += 1) {
      last().crash()
      await clock.advance(30_000)
    }
    await clock.advance(70_000)
    const count = played.length
    last().crash()
    await clock.advance(250)

    expect(played).toHaveLength(count + 1)
  })

  it('no longer counts, from its loss on and after the next one has started', async () => {
    const { clock, played, last } = kept()
    expect(last().isCurrent()).toBe(true)
    last().crash()
    expect(played[0]?.isCurrent()).toBe(false)
    await clock.advance(250)

    expect(played.map(({ isCurrent }) => isCurrent())).toEqual([false, true])
  })

  it('is reported once, however often it ends', async () => {
    const { clock, played, heard } = kept()
    played[0]?.crash()
    played[0]?.crash()
    await clock.advance(250)
    played[0]?.crash()

    expect([heard, played.length]).toEqual([['lost', 'replaced'], 2])
  })

  it('is not started again once the service stops', async () => {
    const { clock, pipeline, played, last } = kept()
    last().crash()
    await pipeline.stop()
    await clock.advance(60_000)

    expect(played).toHaveLength(1)
  })
})

describe('a pipeline that hangs', () => {
  it('is ended and replaced when it has not answered for half a minute', async () => {
    const { clock, played, last } = kept()
    last().answers = false
    await clock.advance(34_999)
    expect(played).toHaveLength(1)
    await clock.advance(1 + 250)

    expect(played[0]?.isTerminated).toBe(true)
    expect(played).toHaveLength(2)
  })

  it('that never ends is known when the service stops', async () => {
    const { clock, pipeline, last } = kept()
    last().answers = false
    last().ends = false
    await clock.advance(40_000)

    expect(await pipeline.stop()).toBe(false)
  })

  it('is left alone while it only takes its time', async () => {
    const { clock, played } = kept()
    await clock.advance(10 * 60_000)

    expect(played).toHaveLength(1)
  })
})

it('calls go to the pipeline that runs now', async () => {
  const { clock, pipeline, played, last } = kept()
  last().crash()
  await clock.advance(250)
  pipeline.tell('reload', [[]])
  await pipeline.call('read', [null])

  expect(played.map(({ called }) => called.filter((method) => method !== 'ping'))).toEqual([
    [],
    ['reload', 'read'],
  ])
})

it('may be stopped twice', async () => {
  const { pipeline, last } = kept()

  expect(await Promise.all([pipeline.stop(), pipeline.stop()])).toEqual([true, true])
  expect(last().called.filter((method) => method === 'stop')).toHaveLength(1)
})
