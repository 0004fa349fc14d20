import { anAccount, virtualClock } from '@svc/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createQueryDispatcher, createQueryLimit, type DispatchPlan } from './query-dispatcher.ts'
import { followAccounts, noWatchedAccounts, type WatchedAccount } from './watched-accounts.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Accounts due at these times, each queried once. */
function aPool(dueAtMs: Readonly<Record<string, number>>, changes: Partial<DispatchPlan> = {}) {
  const clock = virtualClock(turn)
  const accounts = Object.keys(dueAtMs).map((name) => anAccount(name))
  const { byAuthName } = followAccounts(noWatchedAccounts, accounts, {
    nowMs: 0,
    listedBefore: null,
  })
  const pool = [...byAuthName.values()]
  for (const [at, due] of Object.values(dueAtMs).entries()) {
    const watched = pool[at]
    if (watched !== undefined) watched.dueAtMs = due
  }
  const nameOf = (watched: WatchedAccount) => Object.keys(dueAtMs)[pool.indexOf(watched)] ?? '?'
  const sent: string[] = []
  const answers: (() => void)[] = []
  const dispatcher = createQueryDispatcher(
    {
      concurrency: 2,
      quotaProbesPerMinute: 60,
      accounts: () => pool,
      ready: () => true,
      pausedUntilMs: () => 0,
      freeAtMs: () => 0,
      isPaused: () => false,
      send(watched, nowMs) {
        sent.push(`${nameOf(watched)} at ${nowMs}`)
        return new Promise((resolve) =>
          answers.push(() => {
            watched.dueAtMs = Number.POSITIVE_INFINITY
            resolve()
          }),
        )
      },
      ...changes,
    },
    clock,
  )
  return {
    clock,
    dispatcher,
    sent,
    pool,
    /** Answers the oldest open query. */
    async answer() {
      answers.shift()?.()
      await turn()
    },
  }
}

describe('queries', () => {
  it('go out when they are due, the earliest first', async () => {
    const { clock, dispatcher, sent } = aPool({ late: 2500, early: 1000, never: Infinity })
    dispatcher.sendDue()
    await clock.advance(60_000)

    expect(sent).toEqual(['early at 1000', 'late at 2500'])
  })

  it('never go out for an account whose last one is not answered', async () => {
    const { clock, dispatcher, sent, answer } = aPool({ alice: 0 })
    dispatcher.sendDue()
    dispatcher.sendDue()
    await clock.advance(60_000)
    expect(sent).toEqual(['alice at 0'])
    await answer()

    expect(sent).toEqual(['alice at 0'])
  })

  it('wait for a free place, which the next one takes at once', async () => {
    const { dispatcher, sent, answer } = aPool({ one: 0, two: 0, three: 0, four: 0 })
    dispatcher.sendDue()
    expect(sent).toEqual(['one at 0', 'two at 0'])
    await answer()
    expect(sent).toEqual(['one at 0', 'two at 0', 'three at 0'])
    await answer()

    expect(sent).toHaveLength(4)
  })

  it('wait for their share of a minute once the full one is used up', async () => {
    const { clock, dispatcher, sent } = aPool(
      { one: 0, two: 0, three: 0 },
      { concurrency: 9, quotaProbesPerMinute: 2 },
    )
    dispatcher.sendDue()
    await clock.advance(60_000)

    expect(sent).toEqual(['one at 0', 'two at 0', 'three at 60000'])
  })

  it('wait for the end of a pause, also when one begins while they wait', async () => {
    let pausedUntilMs = 3000
    const { clock, dispatcher, sent } = aPool({ one: 0 }, { pausedUntilMs: () => pausedUntilMs })
    dispatcher.sendDue()
    await clock.advance(2000)
    pausedUntilMs = 5000
    await clock.advance(60_000)

    expect(sent).toEqual(['one at 5000'])
  })

  it('do not go out, nor wake for it, while the transport is not ready', async () => {
    let isReady = false
    const { clock, dispatcher, sent } = aPool({ one: 0 }, { ready: () => isReady })
    dispatcher.sendDue()
    expect(clock.scheduledCount).toBe(0)
    isReady = true
    dispatcher.sendDue()

    expect(sent).toEqual(['one at 0'])
  })

  it('that are under way are waited for at the end, and no other goes out', async () => {
    const { clock, dispatcher, sent, answer } = aPool({ one: 0, two: 0, three: 0, later: 5000 })
    dispatcher.sendDue()
    let hasStopped = false
    const stopped = dispatcher.stop().then(() => {
      hasStopped = true
    })
    await answer()
    expect(hasStopped).toBe(false)
    await answer()
    await stopped
    await clock.advance(60_000)

    expect(sent).toEqual(['one at 0', 'two at 0'])
    expect(clock.scheduledCount).toBe(0)
  })
})

describe('how long queries are expected to take', () => {
  it.each([
    { what: 'none', count: 0, plan: {}, ms: 0 },
    { what: 'one, within the budget', count: 1, plan: {}, ms: 1_000 },
    { what: 'more than go out at once', count: 6, plan: {}, ms: 3_000 },
    {
      what: 'more than a minute may have',
      count: 3,
      plan: { quotaProbesPerMinute: 2 },
      ms: 61_000,
    },
    { what: 'one, after a pause', count: 1, plan: { pausedUntilMs: () => 9_000 }, ms: 10_000 },
    { what: 'one that may not go out', count: 1, plan: { ready: () => false }, ms: null },
  ])('$what: $ms ms', ({ count, plan, ms }) => {
    expect(aPool({}, plan).dispatcher.expectedMs(count)).toBe(ms)
  })

  it('follows how long answers take', async () => {
    const { clock, dispatcher, answer } = aPool({ one: 0 })
    dispatcher.sendDue()
    const before = dispatcher.expectedMs(1)
    await clock.advance(30_000)
    await answer()

    expect(dispatcher.expectedMs(1)).toBeGreaterThan(before ?? Number.POSITIVE_INFINITY)
  })
})

describe('the limit of queries in a minute', () => {
  it('lets a minute’s share out at once, and after it one at a time', () => {
    const limit = createQueryLimit(3)
    const sent = Array.from({ length: 8 }, () => {
      const atMs = limit.nextAtMs(0)
      limit.take(atMs)
      return atMs
    })

    expect(sent).toEqual([0, 0, 0, 60_000, 80_000, 100_000, 120_000, 140_000])
  })

  it.each([
    { count: 0, atMs: 0 },
    { count: 1, atMs: 0 },
    { count: 2, atMs: 0 },
    { count: 3, atMs: 60_000 },
    { count: 5, atMs: 120_000 },
  ])('has let out $count of two a minute by $atMs ms', ({ count, atMs }) => {
    expect(createQueryLimit(2).nextAtMs(0, count)).toBe(atMs)
  })

  it('does not begin anew where another process has sent some in the last minute', () => {
    const limit = createQueryLimit(3)
    for (const atMs of [-90_000, -20_000, -10_000, -5_000]) limit.take(atMs)

    expect(limit.nextAtMs(0)).toBe(40_000)
  })

  it('holds in any minute, and is used up by those who wait', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 200 }),
        (perMinute, pauses) => {
          const limit = createQueryLimit(perMinute)
          let nowMs = 0
          const sent: number[] = []
          for (const pause of pauses) {
            nowMs = Math.max(nowMs + pause, limit.nextAtMs(nowMs + pause))
            limit.take(nowMs)
            sent.push(nowMs)
          }
          const isKept = sent.every((at, index) => at - (sent[index - perMinute] ?? -1e9) >= 60_000)
          const waited = (sent.at(-1) ?? 0) - pauses.reduce((sum, pause) => sum + pause, 0)
          return isKept && waited <= (sent.length * 60_000) / perMinute + 1e-3
        },
      ),
    )
  })
})

it('vendors take turns, whoever has most that is due, and plans wait for accounts never read', async () => {
  const { clock, dispatcher, sent, pool } = aPool(
    { a1: 0, a2: 0, a3: 0, a4: 0, b1: 5, b2: 5, c1: 9, plan: 1, mine: -1 },
    { concurrency: 20 },
  )
  for (const [index, watched] of pool.entries()) {
    const provider = ['codex', 'codex', 'codex', 'codex', 'xai', 'xai', 'kimi', 'kimi', 'codex'][
      index
    ]
    watched.account = { ...watched.account, provider: provider ?? '' }
    watched.isUnread = watched.dueAtMs === 0
    watched.isForPlan = watched.dueAtMs === 1
  }
  await clock.advance(10)
  dispatcher.sendDue()

  expect(sent.map((line) => line.split(' ')[0])).toEqual([
    ...['mine', 'b1', 'c1', 'a1', 'b2', 'a2', 'a3', 'a4', 'plan'],
  ])
})
