import { plusMs } from '@svc/core'
import { NOW, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createQueueSilence } from './queue-silence.ts'

const MINUTE = 60_000

/** A queue that was just read; `readAt` is that moment by the clock of usage. */
function aSilence() {
  const clock = virtualClock(() => Promise.resolve())
  const silence = createQueueSilence(clock)
  silence.end(silence.now())
  return { clock, silence }
}

describe('how long nobody has read the queue', () => {
  it('is what the clock of usage says where this process has not read it', () => {
    const silence = createQueueSilence(virtualClock(() => Promise.resolve()))

    expect(silence.lengthMs(NOW, plusMs(NOW, 5 * MINUTE))).toBe(5 * MINUTE)
    expect(silence.isClockApart()).toBe(false)
  })

  it.each<{ why: string; ranMs: number; jumpMs: number; usageMs: number; lengthMs: number }>([
    { why: 'all clocks agree', ranMs: MINUTE, jumpMs: 0, usageMs: MINUTE, lengthMs: MINUTE },
    {
      why: 'ours was set forward',
      ranMs: MINUTE,
      jumpMs: 60 * MINUTE,
      usageMs: MINUTE,
      lengthMs: MINUTE,
    },
    {
      why: 'ours was set back',
      ranMs: MINUTE,
      jumpMs: -60 * MINUTE,
      usageMs: MINUTE,
      lengthMs: MINUTE,
    },
    {
      why: 'the proxy’s was set forward',
      ranMs: MINUTE,
      jumpMs: 0,
      usageMs: 60 * MINUTE,
      lengthMs: MINUTE,
    },
    {
      why: 'the machine slept, as ours and the proxy’s show alike',
      ranMs: MINUTE,
      jumpMs: 59 * MINUTE,
      usageMs: 60 * MINUTE,
      lengthMs: 60 * MINUTE,
    },
  ])('$why', async ({ ranMs, jumpMs, usageMs, lengthMs }) => {
    const { clock, silence } = aSilence()
    await clock.advance(ranMs)
    clock.jumpWallClock(jumpMs)

    expect(silence.lengthMs(NOW, plusMs(NOW, usageMs))).toBe(lengthMs)
  })

  it.each([
    { jumpMs: 10_000, apart: false },
    { jumpMs: 10_001, apart: true },
    { jumpMs: -3_600_000, apart: false },
  ])('the clock is apart after a jump of $jumpMs ms: $apart', async ({ jumpMs, apart }) => {
    const { clock, silence } = aSilence()
    await clock.advance(5_000)
    clock.jumpWallClock(jumpMs)

    expect(silence.isClockApart()).toBe(apart)
  })

  it('begins again with each reading', async () => {
    const { clock, silence } = aSilence()
    clock.jumpWallClock(60 * MINUTE)
    silence.end(silence.now())
    await clock.advance(MINUTE)

    expect(silence.isClockApart()).toBe(false)
    expect(silence.lengthMs(NOW, plusMs(NOW, 90 * MINUTE))).toBe(MINUTE)
  })
})
