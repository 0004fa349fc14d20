import type { AccountDirectory } from '@svc/collector'
import { type EpochMs, plusMs } from '@svc/core'
import { NOW, silentLog, type VirtualClock, virtualClock } from '@svc/core/testing'
import type { IngestedUsage, UsageGap } from '@svc/core/usage'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTrustedClock, type TrustedClock } from '../clock/trusted-clock.ts'
import { createStoreSink, type StoreSink } from './store-sink.ts'

const DAY_MS = 86_400_000
const GAP = { from: NOW, to: plusMs(NOW, 1_000) } as UsageGap
const TIME = { receivedAt: NOW, usageAt: plusMs(NOW, 3_000) }
const NOTHING_STORED = { stored: 0, duplicate: 0, quarantined: 0, expired: 0 }
const ingested = (changes: Partial<IngestedUsage> = {}) =>
  ({
    tally: { ...NOTHING_STORED, stored: 2 },
    newestAt: null,
    gap: null,
    ...changes,
  }) as IngestedUsage
const directory = (name: string) => ({ name }) as unknown as AccountDirectory

let clock: VirtualClock
let isOpen: boolean
let trustedClock: TrustedClock
let usage: StoreSink
let calls: { readonly method: string; readonly args: readonly unknown[] }[]
let told: string[]
let answer: () => Promise<unknown>
let isOurs: boolean
beforeEach(() => {
  isOurs = true
  clock = virtualClock(async () => undefined)
  calls = []
  told = []
  answer = async () => ingested()
  trustedClock = createTrustedClock({ clock, log: silentLog })
  isOpen = true
  const call = (method: string, args: readonly unknown[]) => {
    calls.push({ method, args })
    return answer()
  }
  usage = createStoreSink({
    call: call as never,
    tell: (method, args) => void calls.push({ method, args }),
    isOpen: () => isOpen,
    upstream: 'tokyo',
    isOurs: () => isOurs,
    trustedClock,
    onStored: () => void told.push('stored'),
    report: {
      count({ counter, by }) {
        if (by !== 0) told.push(`${counter} ${by}`)
      },
    },
  })
})
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

    expect(usage.sink.refusal()).toBe(expected)
  })
})

describe('what is stored', () => {
  it('moves the position to when the proxy was asked, and is reported', async () => {
    answer = async () => ingested({ gap: GAP })
    await usage.sink.storeQueue([new Uint8Array()], TIME)

    expect(usage.sink.position()).toEqual({ lastPollAt: TIME.usageAt })
    expect(told).toEqual(['usage_rows_ingested_total 2', 'stored', 'usage_gap_seconds_total 1'])
  })

  it('leaves the position where it was while the clock is doubted', async () => {
    usage.continueFrom(NOW)
    trustedClock.proxySaid(plusMs(NOW, -2 * DAY_MS))
    await usage.sink.storeQueue([new Uint8Array()], TIME)

    expect(usage.sink.position()).toEqual({ lastPollAt: NOW })
  })

  it('that was stored before is counted, but not announced as stored', async () => {
    answer = async () => ingested({ tally: { ...NOTHING_STORED, duplicate: 3 } as never })
    await usage.sink.storeQueue([new Uint8Array()], TIME)

    expect(told).toEqual(['usage_rows_duplicate_total 3'])
  })

  it('tells the clock how new its newest record is', async () => {
    const newestAt: EpochMs = plusMs(NOW, 60_000)
    answer = async () => ingested({ newestAt })
    await usage.sink.storeQueue([new Uint8Array()], TIME)

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
    const stored = await usage.sink.storeQueue([new Uint8Array()], TIME).catch(() => 'rejected')

    expect(stored).toBe(rejects ? 'rejected' : null)
    expect([told, usage.sink.position()]).toEqual([[], { lastPollAt: null }])
  })

  it('of a tree is copied chunk by chunk, since the network reuses its buffer', () => {
    const tree = usage.sink.openTree()
    const buffer = new Uint8Array([1, 2, 3, 4])
    tree.push(buffer.subarray(1, 3))
    buffer.fill(0)

    expect(calls).toEqual([{ method: 'pushTree', args: ['tokyo', new Uint8Array([2, 3])] }])
  })
})

describe('gaps', () => {
  it('are reported once they are stored, with the requests that are missing', async () => {
    await usage.sink.recordGap(GAP)
    await usage.sink.recordMissing(7, GAP)

    expect(told).toEqual(['usage_gap_seconds_total 1', 'usage_rows_missing_total 7'])
  })

  it('move the position, and the same time is counted once', async () => {
    await usage.sink.recordGap(GAP)
    expect(usage.sink.position()).toEqual({ lastPollAt: GAP.to })
    told.splice(0)
    await usage.sink.recordGap({ ...GAP, to: plusMs(GAP.to, 2_000) })

    expect(told).toEqual(['usage_gap_seconds_total 2'])
  })

  it('that cannot be stored are not reported', async () => {
    answer = async () => {
      throw new Error('disk')
    }
    await expect(usage.sink.recordGap(GAP)).rejects.toThrow('disk')
    await expect(usage.sink.recordMissing(7, GAP)).rejects.toThrow('disk')

    expect(told).toEqual([])
  })
})

describe('the accounts', () => {
  it('that came while no store was open are given to it when it is', () => {
    isOpen = false
    usage.sink.useAccounts(directory('old'))
    usage.sink.useAccounts(directory('new'))
    expect(calls).toEqual([])
    isOpen = true
    usage.ready()

    expect(calls).toEqual([{ method: 'useAccounts', args: ['tokyo', { name: 'new' }] }])
  })

  it('are given to every store that is opened later', () => {
    usage.sink.useAccounts(directory('a'))
    usage.ready()

    expect(methods()).toEqual(['useAccounts', 'useAccounts'])
  })
})

describe('who waits to store', () => {
  it('is called when the store is ready and when the clock is trusted again', () => {
    let ready = 0
    usage.sink.onReady(() => {
      ready += 1
    })
    usage.ready()
    usage.clockTurned()
    expect(ready).toBe(2)
    trustedClock.proxySaid(plusMs(NOW, -2 * DAY_MS))
    usage.clockTurned()
    trustedClock.proxySaid(NOW)
    isOpen = false
    usage.clockTurned()

    expect(ready).toBe(2)
  })
})

describe('usage that another monitor takes', () => {
  it('is refused, and nobody is called to store any', () => {
    const calledTimes: number[] = []
    usage.sink.onReady(() => calledTimes.push(1))
    isOurs = false
    usage.ready()
    usage.clockTurned()

    expect(usage.sink.refusal()).toBe('standby')
    expect(calledTimes).toEqual([])
  })

  it('of which some was taken before is stored all the same', async () => {
    isOurs = false
    await usage.sink.storeQueue([new Uint8Array()], TIME)

    expect(methods()).toEqual(['storeQueue'])
  })
})
