import { NOW, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { withinDeadline } from './deadline.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
const forever = () => new Promise<never>(() => undefined)

function aCall(task: (signal: AbortSignal) => Promise<unknown>, stop = new AbortController()) {
  const clock = virtualClock(settle, NOW)
  const ended: unknown[] = []
  let stoodStillMs = 0
  const standStill = (milliseconds: number) => {
    stoodStillMs += milliseconds
  }
  const monotonicMs = () => clock.monotonicMs() + stoodStillMs
  withinDeadline({ ...clock, monotonicMs }, { seconds: 2, stop: stop.signal }, task).then(
    (value) => ended.push(value),
    (error: unknown) => ended.push(error),
  )
  return { clock, ended, stop, standStill }
}

describe('a call with a deadline', () => {
  it('brings its value, and leaves no timer and no listener behind', async () => {
    const { clock, ended } = aCall(async () => 'value')
    await clock.advance(0)

    expect(ended).toEqual(['value'])
    expect(clock.scheduledCount).toBe(0)
  })

  it('fails as its task fails', async () => {
    const failure = new Error('of the task')
    const { clock, ended } = aCall(() => Promise.reject(failure))
    await clock.advance(0)

    expect(ended).toEqual([failure])
    expect(clock.scheduledCount).toBe(0)
  })

  it('ends at its deadline although the task ignores its signal', async () => {
    let signal: AbortSignal | null = null
    const { clock, ended } = aCall((given) => {
      signal = given
      return forever()
    })
    await clock.advance(1999)
    expect(ended).toEqual([])
    await clock.advance(1)

    expect(ended).toMatchObject([{ name: 'UpstreamError', code: 'timeout' }])
    expect(signal).toMatchObject({ aborted: true })
  })

  it.each([
    { what: 'has its answer that came meanwhile', answers: true, end: 'value' },
    { what: 'ends a moment later', answers: false, end: { code: 'timeout' } },
  ])('of a process that stood still $what', async ({ answers, end }) => {
    let arrive = (_: unknown) => {}
    const answer = new Promise((resolve) => {
      arrive = resolve
    })
    const { clock, ended, standStill } = aCall(() => answer)
    standStill(60_000)
    await clock.advance(2_000)
    expect(ended).toEqual([])
    if (answers) arrive('value')
    await clock.advance(1_000)

    expect(ended).toMatchObject([end])
    expect(clock.scheduledCount).toBe(0)
  })

  it('ends when the program stops, without a timer left', async () => {
    const { clock, ended, stop } = aCall(forever)
    await clock.advance(500)
    stop.abort()
    await clock.advance(0)

    expect(ended).toMatchObject([{ code: 'unreachable' }])
    expect(clock.scheduledCount).toBe(0)
  })

  it('does not begin once the program has stopped', async () => {
    const stop = new AbortController()
    stop.abort()
    let begun = 0
    const { clock, ended } = aCall(async () => {
      begun += 1
    }, stop)
    await clock.advance(0)

    expect(begun).toBe(0)
    expect(ended).toMatchObject([{ code: 'unreachable' }])
    expect(clock.scheduledCount).toBe(0)
  })
})
