import { plusMs } from '@svc/core'
import { NOW, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { aClient, openGate } from '../testing/usage-equipment.ts'
import { createQueueSilence, createRetentionWatch } from './queue-retention.ts'

const stop = new AbortController().signal

/** A watch on a proxy whose configuration is `answer`, or that fails with it. */
function aWatch(answer: unknown) {
  const clock = virtualClock(() => Promise.resolve())
  const asked: string[] = []
  const proxy = { answer }
  const watch = createRetentionWatch(
    {
      client: aClient({
        async get(route) {
          asked.push(route)
          if (proxy.answer instanceof Error) throw proxy.answer
          return { body: proxy.answer, receivedAt: NOW, proxyNow: null }
        },
      }),
      gate: openGate,
    },
    clock,
  )
  return { clock, asked, proxy, watch }
}
const config = (seconds: unknown) => ({ 'redis-usage-queue-retention-seconds': seconds })

describe('how long the proxy keeps unread records', () => {
  it.each<{ stated: unknown; seconds: number }>([
    { stated: 300, seconds: 300 },
    { stated: '300', seconds: 300 },
    { stated: 0, seconds: 60 },
    { stated: -1, seconds: 60 },
    { stated: 3601, seconds: 3600 },
    { stated: 'long', seconds: 60 },
  ])('is $seconds s where it states $stated', async ({ stated, seconds }) => {
    expect(await aWatch(config(stated)).watch.seconds(stop)).toBe(seconds)
  })

  it('is its default where it does not show its configuration', async () => {
    const missing = new UpstreamError('unsupported', 'no such route', { httpStatus: 404 })

    expect(await aWatch(missing).watch.seconds(stop)).toBe(60)
  })

  it.each([
    { why: 'cannot be asked', answer: new UpstreamError('timeout', 'late') },
    { why: 'answers a text', answer: 'on' },
  ])('is not known where the proxy $why', async ({ answer }) => {
    await expect(aWatch(answer).watch.seconds(stop)).rejects.toBeInstanceOf(UpstreamError)
  })

  it('is asked for once in ten minutes', async () => {
    const { clock, asked, proxy, watch } = aWatch(config(300))
    await watch.seconds(stop)
    proxy.answer = config(120)
    await clock.advance(599_999)
    expect(await watch.seconds(stop)).toBe(300)
    expect(asked).toEqual(['usageRetention'])
    await clock.advance(1)

    expect(await watch.seconds(stop)).toBe(120)
  })

  it('is asked for again once it was forgotten, and after a failure', async () => {
    const { asked, proxy, watch } = aWatch(config(300))
    await watch.seconds(stop)
    watch.forget()
    proxy.answer = new UpstreamError('timeout', 'late')
    await expect(watch.seconds(stop)).rejects.toThrow('late')
    proxy.answer = config(120)

    expect(await watch.seconds(stop)).toBe(120)
    expect(asked).toHaveLength(3)
  })
})

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

  it.for<readonly [why: string, ranMs: number, usageMs: number, lengthMs: number, jumpMs?: number]>(
    [
      ['all clocks agree', MINUTE, MINUTE, MINUTE],
      ['ours was set forward', MINUTE, MINUTE, MINUTE, 60 * MINUTE],
      ['ours was set back', MINUTE, MINUTE, MINUTE, -60 * MINUTE],
      ['the proxy’s was set forward', MINUTE, 60 * MINUTE, MINUTE],
      [
        'the machine slept, as ours and the proxy’s show alike',
        MINUTE,
        60 * MINUTE,
        60 * MINUTE,
        59 * MINUTE,
      ],
    ],
  )('$0', async ([, ranMs, usageMs, lengthMs, jumpMs = 0]) => {
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
