import { virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createAlarm } from './alarm.ts'

function anAlarm() {
  const clock = virtualClock(async () => undefined)
  const startMs = clock.monotonicMs()
  const rangAtMs: number[] = []
  const alarm = createAlarm(clock, () => rangAtMs.push(clock.monotonicMs() - startMs))
  return { ...alarm, in: (ms: number) => alarm.setBefore(startMs + ms), clock, rangAtMs }
}

describe('an alarm', () => {
  it('rings once, at the earliest of its times', async () => {
    const { in: inMs, clock, rangAtMs } = anAlarm()
    inMs(3_000)
    inMs(1_000)
    inMs(2_000)
    await clock.advance(10_000)

    expect(rangAtMs).toEqual([1_000])
  })

  it('can be set again once it has rung, or when it rings', async () => {
    const clock = virtualClock(async () => undefined)
    const startMs = clock.monotonicMs()
    let count = 0
    const alarm = createAlarm(clock, () => {
      count += 1
      if (count < 3) alarm.setBefore(clock.monotonicMs() + 1_000)
    })
    alarm.setBefore(startMs + 1_000)
    await clock.advance(10_000)

    expect(count).toBe(3)
  })

  it('does not ring once it is cancelled, until it is set again', async () => {
    const { in: inMs, cancel, clock, rangAtMs } = anAlarm()
    inMs(1_000)
    cancel()
    await clock.advance(2_000)
    expect(rangAtMs).toEqual([])

    inMs(5_000)
    await clock.advance(10_000)
    expect(rangAtMs).toEqual([5_000])
  })
})
