import { type EpochMs, plusMs } from '@svc/core'
import { Redacted } from '@svc/core/service'
import { NOW, silentLog, virtualClock } from '@svc/core/testing'
import type { UsageGap } from '@svc/core/usage'
import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { aClient, anIngestedUsage, aSink } from '../testing/usage-equipment.ts'
import { createUsageFeed } from './usage-feed.ts'

const KEPT_SECONDS = 60
const PERIOD_MS = 5_000
const HOUR_MS = 3_600_000
const EMPTY = anIngestedUsage()
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A feed of a queue that keeps records for a minute. This machine's clock may be wrong; the proxy's clock is right. */
function aFeed({
  lastPollAt = null,
  aheadMs = 0,
}: {
  readonly lastPollAt?: EpochMs | null
  readonly aheadMs?: number
} = {}) {
  const clock = virtualClock(turn, plusMs(NOW, aheadMs))
  let sleptMs = 0
  let failing = false
  let isHeld = false
  const proxyNow = () => plusMs(NOW, clock.monotonicMs() + sleptMs)
  /** The proxy's clock in its last answer, advanced by the monotonic clock, which stops during sleep. */
  let heard = { at: NOW, atMs: 0 }
  const answered = () => {
    heard = { at: proxyNow(), atMs: clock.monotonicMs() }
    return { receivedAt: clock.now(), proxyNow: proxyNow() }
  }
  let readAt = lastPollAt
  const gaps: UsageGap[] = []
  const sink = aSink({
    refusal: () => (failing ? 'store_unavailable' : null),
    now: () => plusMs(heard.at, clock.monotonicMs() - heard.atMs),
    position: () => ({ lastPollAt: readAt }),
    async recordGap(gap) {
      gaps.push(gap)
      readAt = gap.to
    },
    async storeQueue(_, { usageAt }) {
      readAt = usageAt
      return EMPTY
    },
  })
  const feed = createUsageFeed(
    {
      mode: 'queue',
      isStarved: () => false,
      onReconnect() {},
      onRefresh() {},
      client: aClient({
        get: async () => ({
          ...answered(),
          body: { 'redis-usage-queue-retention-seconds': KEPT_SECONDS },
        }),
        take: async (_path, _call, chunk) => {
          chunk(new TextEncoder().encode('[]'))
          return answered()
        },
        facts: () => ({ version: null, generation: 'v0', loadsPlugins: null, clockSkewSeconds: 0 }),
      }),
      gate: {
        call: (send) =>
          isHeld
            ? Promise.reject(new UpstreamError('unauthorized', 'the key is held'))
            : send(new Redacted('key')),
        heldForMs: () => (isHeld ? 150 * 60_000 : 0),
      } as Parameters<typeof createUsageFeed>[0]['gate'],
      sink,
      onPop() {},
      onWait() {},
      onForgotten() {},
      onUsage() {},
      onSettled() {},
    },
    { clock, random: () => 0.5, log: silentLog },
  )
  return {
    gaps,
    feed,
    clock,
    /** Simulates sleep: the wall clock goes on, the monotonic clock stops. */
    sleep(milliseconds: number) {
      sleptMs += milliseconds
      clock.jumpWallClock(milliseconds)
    },
    async start() {
      feed.pollNow()
      await clock.advance(0)
    },
    async hold(held: boolean) {
      isHeld = held
      await feed.pollAfresh()
    },
    async refuseFor(milliseconds: number) {
      failing = true
      await clock.advance(milliseconds)
      failing = false
      await feed.pollAfresh()
    },
  }
}

const missedMs = (gaps: readonly UsageGap[]) =>
  gaps.reduce((sum, { from, to }) => sum + to - from, 0)

describe('what the queue no longer holds', () => {
  it.each([0, -10 * HOUR_MS, -23 * HOUR_MS, 10 * HOUR_MS])(
    'is as long at a start, whatever our clock shows: %i ms ahead of the proxy',
    async (aheadMs) => {
      const lastPollAt = plusMs(NOW, -100_000)
      const { gaps, start, feed } = aFeed({ lastPollAt, aheadMs })
      await start()
      await feed.stop()
      expect(gaps).toEqual([
        { from: lastPollAt, to: plusMs(lastPollAt, 40_000), reason: 'retention_exceeded' },
      ])
    },
  )

  it('is nothing where our clock was set while the queue was read all the time', async () => {
    const { gaps, start, feed, clock } = aFeed()
    await start()
    for (const jumpMs of [2 * HOUR_MS, -2 * HOUR_MS, -3 * HOUR_MS, 3 * HOUR_MS]) {
      clock.jumpWallClock(jumpMs)
      await clock.advance(2 * PERIOD_MS)
    }
    await feed.stop()
    expect(gaps).toEqual([])
  })

  it('is what came up while the machine slept', async () => {
    const { gaps, start, feed, clock, sleep } = aFeed()
    await start()
    await clock.advance(PERIOD_MS)
    sleep(HOUR_MS)
    await clock.advance(2 * PERIOD_MS)
    await feed.stop()
    expect(missedMs(gaps)).toBeGreaterThanOrEqual(HOUR_MS - KEPT_SECONDS * 1000)
    expect(missedMs(gaps)).toBeLessThanOrEqual(HOUR_MS - KEPT_SECONDS * 1000 + 2 * PERIOD_MS)
  })

  it('is counted while the key is held, and not once more after it', async () => {
    const { gaps, start, feed, clock, hold } = aFeed()
    await start()
    await hold(true)
    const heldAt = clock.now()
    await clock.advance(HOUR_MS)
    const during = missedMs(gaps)
    await hold(false)
    await feed.stop()

    const lostMs = HOUR_MS - KEPT_SECONDS * 1000
    expect(during).toBeGreaterThanOrEqual(lostMs - 2 * KEPT_SECONDS * 1000)
    expect(missedMs(gaps)).toBe(lostMs)
    expect(gaps[0]?.from).toBe(heldAt)
    expect(gaps.every(({ from }, index) => index === 0 || from === gaps[index - 1]?.to)).toBe(true)
  })

  it('is what came up while nothing could be stored, also where our clock was set back meanwhile', async () => {
    const { gaps, start, feed, clock, refuseFor } = aFeed()
    await start()
    clock.jumpWallClock(-HOUR_MS)
    await refuseFor(3 * KEPT_SECONDS * 1000)
    await feed.stop()
    expect(missedMs(gaps)).toBe(2 * KEPT_SECONDS * 1000)
  })
})
