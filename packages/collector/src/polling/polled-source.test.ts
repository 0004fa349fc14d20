import type { Clock, LogFields } from '@svc/core/service'
import { NOW, silentLog, virtualClock } from '@svc/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../proxy/upstream-error.ts'
import {
  backoffMs,
  createPolledSource,
  createSingleFlight,
  createSourceLog,
  jitterFactor,
  type PollPlan,
  type SettledPoll,
} from './polled-source.ts'
import { SourceError } from './source-error.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

interface Line {
  readonly atMs: number
  readonly level: 'info' | 'warn'
  readonly fields: LogFields | undefined
}

function aSource<Value>(
  poll: () => Promise<Value>,
  changes: Partial<PollPlan<Value>> = {},
  random: () => number = () => 0.5,
) {
  const clock = virtualClock(turn)
  const startedAtMs: number[] = []
  const settled: SettledPoll[] = []
  const lines: Line[] = []
  const log = {
    ...silentLog,
    info: (_event: string, fields?: LogFields) =>
      void lines.push({ atMs: clock.monotonicMs(), level: 'info', fields }),
    warn: (_event: string, fields?: LogFields) =>
      void lines.push({ atMs: clock.monotonicMs(), level: 'warn', fields }),
  }
  const source = createPolledSource<Value>(
    {
      source: 'accounts',
      periodSeconds: 15,
      backoffSecondsMax: 30,
      poll() {
        startedAtMs.push(clock.monotonicMs())
        return poll()
      },
      heldForMs: () => 0,
      onSettled: (poll) => void settled.push(poll),
      ...changes,
    },
    { clock, random, log },
  )
  return { clock, source, startedAtMs, settled, lines }
}

const failing = () => Promise.reject(new UpstreamError('unreachable', 'down'))
const gapsOf = (times: readonly number[]) =>
  times.slice(1).map((time, index) => time - (times[index] ?? 0))

describe('a source that answers', () => {
  it('is asked once a period, give or take a tenth', async () => {
    let draw = 0
    const { clock, source, startedAtMs } = aSource(
      async () => 1,
      {},
      () => {
        draw = (draw + 0.37) % 1
        return draw
      },
    )
    source.pollNow()
    await clock.advance(3_600_000)

    const gaps = gapsOf(startedAtMs)
    expect(gaps.length).toBeGreaterThan(200)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(13_500)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(16_500)
    expect(new Set(gaps).size).toBeGreaterThan(50)
  })

  it('keeps its schedule when the wall clock jumps', async () => {
    const { clock, source, startedAtMs } = aSource(async () => 1)
    source.pollNow()
    for (const jump of [3_600_000, -7_200_000, 365 * 86_400_000]) {
      await clock.advance(60_000)
      clock.jumpWallClock(jump)
    }
    await clock.advance(60_000)

    expect(new Set(gapsOf(startedAtMs))).toEqual(new Set([15_000]))
  })
})

describe('what an answer brings', () => {
  it('is nothing but a later time while it is the same as the last', async () => {
    const answers = [{ list: [1] }, { list: [1] }, { list: [2] }, { list: [2] }]
    const { clock, source, settled } = aSource(async () => answers.shift())
    source.pollNow()
    await clock.advance(46_000)

    expect(settled.map((poll) => poll.kind === 'ok' && poll.change)).toEqual([
      'content',
      'times',
      'content',
      'times',
    ])
    expect(source.reading().lastGood?.at).toBe(NOW + 45_000)
  })

  it('is content after a failure, even if it is the same as before', async () => {
    const answers = [1, 1, null, 1]
    const { clock, source, settled } = aSource(() => {
      const answer = answers.shift() ?? null
      return answer === null ? failing() : Promise.resolve(answer)
    })
    source.pollNow()
    await clock.advance(55_000)

    expect(
      settled.slice(0, 4).map((poll) => (poll.kind === 'ok' ? poll.change : poll.kind)),
    ).toEqual(['content', 'times', 'failed', 'content'])
  })
})

describe('a source that fails', () => {
  it('keeps the last good value and counts', async () => {
    let down = false
    const { clock, source } = aSource(() => (down ? failing() : Promise.resolve(7)))
    source.pollNow()
    await clock.advance(0)
    down = true
    await clock.advance(15_000)

    expect(source.reading()).toMatchObject({
      outcome: { kind: 'failed', code: 'unreachable' },
      failuresInARow: 1,
      lastGood: { value: 7, at: NOW },
    })
    await clock.advance(60_000)
    expect(source.reading().failuresInARow).toBeGreaterThan(4)
    down = false
    await clock.advance(30_000)
    expect(source.reading()).toMatchObject({ outcome: { kind: 'ok' }, failuresInARow: 0 })
  })

  it('is asked within the bounds of the back-off, then once per longest wait', async () => {
    const { clock, source, startedAtMs } = aSource(failing, {}, () => 0.999)
    source.pollNow()
    await clock.advance(600_000)

    const gaps = gapsOf(startedAtMs)
    expect(gaps.slice(0, 4).map((gap) => Math.round(gap / 1000))).toEqual([2, 4, 8, 16])
    expect(new Set(gaps.slice(4))).toEqual(new Set([30_000]))
    expect(startedAtMs.length).toBeLessThan(30)
  })

  it('is asked again when it says so', async () => {
    const { clock, source, startedAtMs } = aSource(() =>
      Promise.reject(
        new UpstreamError('server_error', 'busy', { httpStatus: 503, retryAfterSeconds: 120 }),
      ),
    )
    source.pollNow()
    await clock.advance(119_999)
    expect(startedAtMs).toEqual([0])
    await clock.advance(1)

    expect(startedAtMs).toEqual([0, 120_000])
  })

  it('on this machine is not reported as a failed call', async () => {
    const { source, settled } = aSource(() =>
      Promise.reject(new SourceError('store_unavailable', 'the disk is full')),
    )
    source.pollNow()
    await turn()

    expect(source.reading().outcome).toMatchObject({ kind: 'failed', code: 'store_unavailable' })
    expect(
      settled.map((poll) => poll.kind !== 'ok' && poll.error instanceof UpstreamError),
    ).toEqual([false])
  })

  it('that is held waits for the end of the hold, which is no further failure', async () => {
    let held = false
    const refused = () =>
      Promise.reject(new UpstreamError('banned', 'no', held ? {} : { httpStatus: 403 }))
    const { clock, source, startedAtMs, settled } = aSource(refused, {
      heldForMs: () => (held ? 50_000 : 0),
    })
    source.pollNow()
    await turn()
    held = true
    source.pollNow()
    await turn()

    expect(settled.map((poll) => poll.kind)).toEqual(['failed', 'held'])
    expect(source.reading().failuresInARow).toBe(1)
    await clock.advance(49_999)
    expect(startedAtMs).toEqual([0, 0])
    await clock.advance(1)
    expect(startedAtMs).toEqual([0, 0, 50_000])
  })
})

/** Time that passes while the process stands still: on waking every timer that fell due runs once, late. */
function sleepingClock(): Clock & { sleep(milliseconds: number): Promise<void> } {
  let monotonic = 0
  const tasks = new Set<{ readonly dueAtMs: number; readonly task: () => void }>()
  return {
    now: () => NOW,
    monotonicMs: () => monotonic,
    schedule(delayMs, task) {
      const entry = { dueAtMs: monotonic + delayMs, task }
      tasks.add(entry)
      return () => void tasks.delete(entry)
    },
    async sleep(milliseconds) {
      monotonic += milliseconds
      for (const entry of [...tasks].filter(({ dueAtMs }) => dueAtMs <= monotonic)) {
        tasks.delete(entry)
        entry.task()
      }
      await turn()
    },
  }
}

it('ten minutes of standing still cost one attempt, not forty', async () => {
  const clock = sleepingClock()
  let polls = 0
  const source = createPolledSource<number>(
    {
      source: 'accounts',
      periodSeconds: 15,
      backoffSecondsMax: 30,
      poll: async () => {
        polls += 1
        return polls
      },
      heldForMs: () => 0,
      onSettled: () => {},
    },
    { clock, random: () => 0.5, log: silentLog },
  )
  source.pollNow()
  await turn()
  await clock.sleep(600_000)

  expect(polls).toBe(2)
  expect(source.reading().failuresInARow).toBe(0)
})

it('nothing happens after stop, and stop waits for the attempt under way', async () => {
  let aborted = false
  const { clock, source, settled } = aSource(async () => 1, {
    poll: (stop) =>
      new Promise((_, reject) => {
        stop.addEventListener('abort', () => {
          aborted = true
          reject(new UpstreamError('unreachable', 'stopped'))
        })
      }),
  })
  source.pollNow()
  await source.stop()
  await source.stop()
  source.pollNow()
  await clock.advance(600_000)

  expect(aborted).toBe(true)
  expect(settled).toEqual([])
  expect(clock.scheduledCount).toBe(0)
  expect(await source.pollAfresh()).toBe(false)
})

/** Attempts numbered in the order they begin; the test ends each one. */
function someAttempts() {
  const open: { readonly end: () => void; readonly fail: () => void }[] = []
  let begun = 0
  const flight = createSingleFlight(() => {
    begun += 1
    const number = begun
    return new Promise<number>((resolve, reject) => {
      open.push({ end: () => resolve(number), fail: () => reject(new Error(`no ${number}`)) })
    })
  })
  return { flight, begunCount: () => begun, end: () => open.shift()?.end(), open }
}

describe('one attempt at a time', () => {
  it('is begun at once, and shared by all that ask meanwhile', async () => {
    const { flight, begunCount, end } = someAttempts()
    const results = [flight.run(), flight.run()]
    expect(begunCount()).toBe(1)
    end()

    expect(await Promise.all(results)).toEqual([1, 1])
    void flight.run()
    expect(begunCount()).toBe(2)
  })

  it('that is asked for afresh follows the one under way, once for all that ask', async () => {
    const { flight, begunCount, end } = someAttempts()
    const first = flight.run()
    const afresh = [flight.runAfresh(), flight.runAfresh()]
    await turn()
    expect(begunCount()).toBe(1)
    end()
    expect(await first).toBe(1)
    await turn()
    expect(begunCount()).toBe(2)
    end()

    expect(await Promise.all(afresh)).toEqual([2, 2])
  })

  it('that fails makes room for the next', async () => {
    const { flight, open, end } = someAttempts()
    const failed = flight.run()
    open.shift()?.fail()
    await expect(failed).rejects.toThrow('no 1')
    const next = flight.run()
    end()

    expect(await next).toBe(2)
  })

  it('has settled when the attempt under way has ended', async () => {
    const { flight, end } = someAttempts()
    await flight.settled()
    void flight.run()
    let isSettled = false
    const settled = flight.settled().then(() => {
      isSettled = true
    })
    await turn()
    expect(isSettled).toBe(false)
    end()
    await settled

    expect(isSettled).toBe(true)
  })
})

it.each([
  [1, 2000],
  [4, 16_000],
])('after failure %d the wait is uniform up to %d ms', (failures, most) => {
  expect(backoffMs(failures, 300_000, () => 0)).toBe(0)
  expect(backoffMs(failures, 300_000, () => 0.5)).toBe(most / 2)
  expect(backoffMs(failures, 300_000, () => 0.999_999)).toBeCloseTo(most, -1)
})

it('from the fifth failure on there is one attempt per longest wait', () => {
  expect(backoffMs(5, 300_000, () => 0)).toBe(300_000)
  expect(backoffMs(5000, 300_000, () => 0.3)).toBe(300_000)
})

it('never waits longer than the longest wait', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: 1, max: 600_000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (n, max, random) => {
        const wait = backoffMs(n, max, () => random)
        return wait >= 0 && wait <= max
      },
    ),
  )
})

it('jitter stays within a tenth', () => {
  expect(jitterFactor(() => 0)).toBeCloseTo(0.9)
  expect(jitterFactor(() => 0.5)).toBeCloseTo(1)
  expect(jitterFactor(() => 0.999_999)).toBeCloseTo(1.1)
})

const ok = { kind: 'ok' } as const
const fails = (code: 'timeout' | 'unreachable') =>
  ({ kind: 'failed', code, message: 'why' }) as const

function aLog() {
  const clock = virtualClock(() => Promise.resolve())
  const lines: string[] = []
  const keep = (event: string, fields: LogFields = {}) =>
    lines.push([event, fields.code, fields.changes].filter(Boolean).join(' '))
  const tell = createSourceLog('accounts', { clock, log: { ...silentLog, info: keep, warn: keep } })
  return { clock, lines, tell }
}

describe('the log of a source', () => {
  it('tells a change after a quiet minute at once, and a steady good state never again', async () => {
    const { clock, lines, tell } = aLog()
    tell(ok)
    await clock.advance(60_000)
    tell(ok)
    tell(fails('timeout'))
    await clock.advance(60_000)
    tell(ok)

    expect(lines).toEqual(['source answers', 'source fails timeout', 'source answers'])
  })

  it('repeats a standing failure once a minute', async () => {
    const { clock, lines, tell } = aLog()
    for (let second = 0; second < 180; second += 5) {
      tell(fails('timeout'))
      await clock.advance(5_000)
    }

    expect(lines).toEqual(Array.from({ length: 3 }, () => 'source fails timeout'))
  })

  it('keeps to one line a minute when the source flaps, and counts every change', async () => {
    const { clock, lines, tell } = aLog()
    for (let second = 0; second < 120; second += 5) {
      tell(second % 10 === 0 ? ok : fails('unreachable'))
      await clock.advance(5_000)
    }

    expect(lines).toEqual([
      'source answers',
      'source fails unreachable 11',
      'source fails unreachable 12',
    ])
  })

  it('tells a change within the quiet minute at its end, though nothing is asked any more', async () => {
    const { clock, lines, tell } = aLog()
    tell(ok)
    await clock.advance(10_000)
    tell(fails('timeout'))
    await clock.advance(50_000)
    expect(lines).toEqual(['source answers', 'source fails timeout'])
    await clock.advance(10_000)
    tell(ok)
    await clock.advance(49_999)
    expect(lines).toHaveLength(2)
    await clock.advance(1)
    await clock.advance(600_000)

    expect(lines).toEqual(['source answers', 'source fails timeout', 'source answers'])
  })
})
