import type { AccountDirectory } from '@svc/collector'
import { type EpochMs, plusMs } from '@svc/core'
import { type LeaseName, leaseOf } from '@svc/core/service'
import { NOW, silentLog, type VirtualClock, virtualClock } from '@svc/core/testing'
import { emptySum, type IngestedUsage, type UsageGap } from '@svc/core/usage'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTrustedClock, type TrustedClock } from '../clock/trusted-clock.ts'
import type { Count } from '../metrics/event-counters.ts'
import { createUsageFeeds, type UsageFeeds } from './usage-feeds.ts'
import type { WriterApi } from './writer-thread.ts'

const DAY_MS = 86_400_000
const GAP = { from: NOW, to: plusMs(NOW, 1_000) } as UsageGap
const TIME = { receivedAt: NOW, usageAt: plusMs(NOW, 3_000) }
const NOTHING_STORED = { stored: 0, duplicate: 0, quarantined: 0, expired: 0 }
const ingested = (changes: Partial<IngestedUsage> = {}) =>
  ({
    tally: { ...NOTHING_STORED, stored: 2 },
    newestAt: null,
    gap: null,
    increments: { models: [], clients: [], failures: [], firstTokens: [], priceable: [] },
    ...changes,
  }) as IngestedUsage
const directory = (name: string) => ({ name }) as unknown as AccountDirectory

let clock: VirtualClock
let isOpen: boolean
let trustedClock: TrustedClock
let feeds: UsageFeeds
let sink: ReturnType<UsageFeeds['sinkOf']>
let calls: { readonly method: string; readonly args: readonly unknown[] }[]
let told: string[]
/** What was heard of takings, and whether the lease counted as ours then. */
let taken: unknown[]
let answer: () => Promise<unknown>
let left: Awaited<ReturnType<WriterApi['takeProxy']>>
/** Leases of a shared store, with their terms. */
let held: Map<LeaseName, number>
beforeEach(() => {
  clock = virtualClock(async () => undefined)
  calls = []
  told = []
  taken = []
  answer = async () => ingested()
  left = { interrupted: null, lastPollAt: null, asked: [] }
  trustedClock = createTrustedClock({ clock, log: silentLog })
  isOpen = true
  held = new Map()
  share(false)
})

function share(isShared: boolean) {
  feeds = createUsageFeeds({
    call: ((method: string, args: readonly unknown[]) => {
      calls.push({ method, args })
      return method === 'takeProxy' ? Promise.resolve(left) : answer()
    }) as never,
    tell: (method, args) => void calls.push({ method, args }),
    isOpen: () => isOpen,
    sharing: isShared ? { termOf: (lease) => held.get(lease) ?? null, held: () => held } : null,
    trustedClock,
    onTaken: (asked) => void taken.push([asked, feeds.isOurs(leaseOf('tokyo'))]),
    onStored: () => void told.push('stored'),
    onIncrements: ({ models }) =>
      void told.push(`increments of ${models.map(({ model }) => model).join()}`),
    report: { count } as never,
    reportOf: () => ({ count }) as never,
  })
  sink = feeds.sinkOf('tokyo')
}
const count = ({ counter, by }: Count) => {
  if (by !== 0) told.push(`${counter} ${by}`)
}
const methods = () => calls.map(({ method }) => method)

describe('what the store refuses', () => {
  it.each<{ readonly what: string; readonly before: () => void; readonly expected: string | null }>(
    [
      { what: 'nothing while it is open', before: () => undefined, expected: null },
      {
        what: 'everything before it is open',
        before: () => {
          isOpen = false
        },
        expected: 'store_unavailable',
      },
      {
        what: 'everything while the clock is doubted',
        before: () => trustedClock.proxySaid(plusMs(NOW, -2 * DAY_MS)),
        expected: 'clock_doubted',
      },
    ],
  )('$what', ({ before, expected }) => {
    before()

    expect(sink.refusal()).toBe(expected)
  })
})

describe('what is stored', () => {
  it('is counted once it is stored, and the increments go no further', async () => {
    const models = [{ provider: 'codex', model: 'gpt-5', sum: emptySum() }]
    answer = async () => ({ ...ingested(), increments: { models } })
    const stored = await sink.storeQueue(new Uint8Array(), TIME)

    expect(told).toContain('increments of gpt-5')
    expect(stored).not.toHaveProperty('increments')
  })

  it('moves the position to when the proxy was asked, and is reported', async () => {
    answer = async () => ingested({ gap: GAP })
    await sink.storeQueue(new Uint8Array(), TIME)

    expect(sink.position()).toEqual({ lastPollAt: TIME.usageAt })
    expect(told).toEqual(['usage_rows_ingested_total 2', 'stored', 'usage_gap_seconds_total 1'])
  })

  it('leaves the position where it was while the clock is doubted', async () => {
    feeds.continueFrom(new Map([['tokyo', NOW]]))
    trustedClock.proxySaid(plusMs(NOW, -2 * DAY_MS))
    await sink.storeQueue(new Uint8Array(), TIME)

    expect(sink.position()).toEqual({ lastPollAt: NOW })
  })

  it('is counted by what became of it, and not announced where nothing was stored', async () => {
    const tally = { stored: 0, duplicate: 3, quarantined: 4, expired: 2 }
    answer = async () => ingested({ tally: tally as never })
    await sink.storeQueue(new Uint8Array(), TIME)

    expect(told).toEqual([
      'usage_rows_duplicate_total 3',
      'usage_rows_quarantined_total 4',
      'usage_rows_expired_total 2',
    ])
  })

  it('tells the clock how new its newest record is', async () => {
    const newestAt: EpochMs = plusMs(NOW, 60_000)
    answer = async () => ingested({ newestAt })
    await sink.storeQueue(new Uint8Array(), TIME)

    expect(trustedClock.read().latest).toBe(newestAt)
  })

  it.each([
    { what: 'is not a list of records', outcome: async () => null, rejects: false },
    {
      what: 'cannot be stored',
      outcome: async () => {
        throw new Error('disk')
      },
      rejects: true,
    },
  ])('is not counted when the answer $what', async ({ outcome, rejects }) => {
    answer = outcome
    const stored = await sink.storeQueue(new Uint8Array(), TIME).catch(() => 'rejected')

    expect(stored).toBe(rejects ? 'rejected' : null)
    expect([told, sink.position()]).toEqual([[], { lastPollAt: null }])
  })

  it('of a tree is copied chunk by chunk, since the network reuses its buffer', () => {
    const tree = sink.openTree()
    const buffer = new Uint8Array([1, 2, 3, 4])
    tree.push(buffer.subarray(1, 3))
    buffer.fill(0)

    expect(calls).toEqual([{ method: 'pushTree', args: ['tokyo', new Uint8Array([2, 3])] }])
  })
})

describe('gaps', () => {
  it('are reported once they are stored, with the requests that are missing', async () => {
    await sink.recordGap(GAP)
    await sink.recordMissing(7, GAP)

    expect(told).toEqual(['usage_gap_seconds_total 1', 'usage_rows_missing_total 7'])
  })

  it('move the position, and the same time is counted once', async () => {
    await sink.recordGap(GAP)
    expect(sink.position()).toEqual({ lastPollAt: GAP.to })
    told.splice(0)
    await sink.recordGap({ ...GAP, to: plusMs(GAP.to, 2_000) })

    expect(told).toEqual(['usage_gap_seconds_total 2'])
  })

  it('that cannot be stored are not reported', async () => {
    answer = async () => {
      throw new Error('disk')
    }
    const refused = { name: 'SourceError', code: 'store_unavailable' }
    await expect(sink.recordGap(GAP)).rejects.toMatchObject(refused)
    await expect(sink.recordMissing(7, GAP)).rejects.toMatchObject(refused)

    expect(told).toEqual([])
  })

  it.each([0, -2_500])('of %i ms count nothing', async (milliseconds) => {
    await sink.recordGap({ ...GAP, to: plusMs(NOW, milliseconds) })

    expect(told).toEqual([])
  })
})

describe('the accounts', () => {
  it('that came while no store was open are given to it when it is', () => {
    isOpen = false
    sink.useAccounts(directory('old'))
    sink.useAccounts(directory('new'))
    expect(calls).toEqual([])
    isOpen = true
    feeds.ready()

    expect(calls).toEqual([{ method: 'useAccounts', args: ['tokyo', { name: 'new' }] }])
  })

  it('are given to every store that is opened later', () => {
    sink.useAccounts(directory('a'))
    feeds.ready()

    expect(methods()).toEqual(['useAccounts', 'useAccounts'])
  })
})

describe('who waits to store', () => {
  it('is called when the store is ready and when the clock is trusted again', () => {
    let ready = 0
    sink.onReady(() => {
      ready += 1
    })
    feeds.ready()
    feeds.clockTurned()
    expect(ready).toBe(2)
    trustedClock.proxySaid(plusMs(NOW, -2 * DAY_MS))
    feeds.clockTurned()
    trustedClock.proxySaid(NOW)
    isOpen = false
    feeds.clockTurned()

    expect(ready).toBe(2)
  })
})

describe('usage of a shared store', () => {
  const TOKYO = leaseOf('tokyo')
  const take = async (term: number) => {
    held.set(TOKYO, term)
    await feeds.useLease(TOKYO)
  }
  beforeEach(() => {
    share(true)
    sink.onReady(() => void told.push('ready'))
  })

  it('that another monitor takes is refused, and nobody is called to store any', () => {
    feeds.ready()
    feeds.clockTurned()

    expect(sink.refusal()).toBe('standby')
    expect(told).toEqual([])
  })

  it('of which some was taken before is stored all the same', async () => {
    await sink.storeQueue(new Uint8Array(), TIME)

    expect(methods()).toEqual(['storeQueue'])
  })

  it('is taken once the store knows the lease, from where the last monitor ended', async () => {
    left = { interrupted: GAP, lastPollAt: NOW, asked: [] }
    held.set(TOKYO, 3)
    expect(feeds.isOurs(TOKYO)).toBe(false)
    await take(3)

    expect([feeds.isOurs(TOKYO), sink.refusal()]).toEqual([true, null])
    // What the last monitor asked is known before anything is asked.
    expect(taken).toEqual([
      [[], false],
      [null, true],
    ])
    expect(sink.position()).toEqual({ lastPollAt: NOW })
    expect(told).toEqual(['usage_gap_seconds_total 1', 'ready'])
  })

  it('goes on under a lease that comes back with its own term, and nothing is settled again', async () => {
    await take(3)
    held.delete(TOKYO)
    expect(feeds.isOurs(TOKYO)).toBe(false)
    await take(3)

    expect(feeds.isOurs(TOKYO)).toBe(true)
    expect(calls).toEqual([
      { method: 'takeProxy', args: ['tokyo', 3] },
      { method: 'useTerm', args: [TOKYO, 3] },
    ])
    expect(told).toEqual(['ready', 'ready'])
  })

  it('is taken over anew after somebody else had the lease', async () => {
    await take(3)
    held.set(TOKYO, 5)
    expect(feeds.isOurs(TOKYO)).toBe(false)
    await take(5)

    expect(calls.at(-1)).toEqual({ method: 'takeProxy', args: ['tokyo', 5] })
  })

  it('is told again to a store that is opened again', async () => {
    await take(3)
    feeds.begin()

    expect(calls.at(-1)).toEqual({ method: 'useTerm', args: [TOKYO, 3] })
  })

  it('is told to no store that is closed', async () => {
    isOpen = false
    await take(3)

    expect([calls, feeds.isOurs(TOKYO)]).toEqual([[], false])
  })
})
