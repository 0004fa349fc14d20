import { silentLog, virtualClock } from '@svc/core/testing'
import type { UsageReader, UsageSummary } from '@svc/core/usage'
import { describe, expect, it } from 'vitest'
import { createUsageWatch } from './usage-watch.ts'

const settle = async () => {
  for (let turn = 0; turn < 4; turn += 1) await Promise.resolve()
}

function watch() {
  const clock = virtualClock(settle)
  let read = 0
  let failing = false
  let firsts = 0
  let reads = 0
  const warned: string[] = []
  const reader: Pick<UsageReader, 'summary'> = {
    async summary() {
      read += 1
      if (failing) throw new RangeError('with a secret')
      return { lastDay: { requests: read, tokens: 0, failed: 0 } } as UsageSummary
    },
  }
  const log = {
    ...silentLog,
    warn: (event: string, fields?: object) =>
      void warned.push(`${event} ${JSON.stringify(fields)}`),
  }
  const usage = createUsageWatch({
    reader: reader as UsageReader,
    clock,
    log,
  })
  usage.start({
    onFirst() {
      firsts += 1
    },
    onRead() {
      reads += 1
    },
  })
  return {
    clock,
    usage,
    warned,
    firsts: () => firsts,
    reads: () => reads,
    read: () => read,
    fail: (now: boolean) => {
      failing = now
    },
  }
}

describe('the usage watch', () => {
  it('is pending, then reads regularly, and reports only the first reading', async () => {
    const { clock, usage, firsts, read } = watch()
    expect(usage.latest()).toEqual({ kind: 'pending' })
    await clock.advance(46_000)

    expect(usage.latest()).toMatchObject({ kind: 'read', summary: { lastDay: { requests: 4 } } })
    expect([read(), firsts()]).toEqual([4, 1])
  })

  it('reads at once when the history holds something new, and every five seconds when it goes on', async () => {
    const { clock, usage, read, reads } = watch()
    await clock.advance(6_000)
    expect(read()).toBe(1)
    usage.readNow()
    await clock.advance(0)
    expect([read(), reads()]).toEqual([2, 2])

    for (let second = 0; second < 25; second += 1) {
      usage.readNow()
      await clock.advance(1_000)
    }
    expect(read()).toBeGreaterThanOrEqual(6)
    expect(read()).toBeLessThanOrEqual(8)
  })

  it('reads first when the history holds something new, then gives the instant it is as of', async () => {
    const { clock, usage, read } = watch()
    await clock.advance(6_000)
    usage.readNow()
    await clock.advance(100)
    usage.readNow()
    expect(read()).toBe(2)

    expect(await usage.asOf()).toBe(clock.now())
    expect(read()).toBe(3)
    expect(await usage.asOf()).toBe(clock.now())
    expect(read()).toBe(3)
  })

  it('gives the instant it is as of, unless that is long ago', async () => {
    const { clock, usage, fail } = watch()
    expect(await usage.asOf()).toBeNull()
    await clock.advance(1_000)
    const readAt = await usage.asOf()
    expect(clock.now() - (readAt ?? 0)).toBe(900)
    fail(true)
    await clock.advance(28_000)
    expect(await usage.asOf()).toBe(readAt)
    await clock.advance(2_000)
    expect(await usage.asOf()).toBeNull()
  })

  it('keeps what it has when a reading fails, warns without a word of the failure, and goes on', async () => {
    const { clock, usage, warned, fail } = watch()
    await clock.advance(1_000)
    fail(true)
    await clock.advance(30_000)

    expect(usage.latest()).toMatchObject({ summary: { lastDay: { requests: 1 } } })
    expect(warned).toEqual(
      Array.from({ length: 2 }, () => 'usage history not readable {"error":"RangeError"}'),
    )
    fail(false)
    await clock.advance(15_000)
    expect(usage.latest()).toMatchObject({ summary: { lastDay: { requests: 4 } } })
  })

  it('stops for good', async () => {
    const { clock, usage, read, firsts } = watch()
    usage.stop()
    await clock.advance(60_000)

    expect([read(), firsts(), clock.scheduledCount]).toEqual([0, 0, 0])
  })

  it('is off where there is no history', () => {
    const usage = createUsageWatch({ reader: null, clock: virtualClock(settle), log: silentLog })
    usage.start({ onFirst: () => expect.unreachable(), onRead: () => expect.unreachable() })

    expect(usage.latest()).toEqual({ kind: 'off' })
  })
})
