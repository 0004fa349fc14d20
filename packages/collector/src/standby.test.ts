import type { RememberedPool } from '@svc/core/pool'
import { silentLog, virtualClock } from '@svc/core/testing'
import { aFakeAccount, createFakeUpstream, fetchOf } from '@svc/fake-proxy'
import { afterEach, expect, it } from 'vitest'
import { createLiveSource, type LiveSource } from './live-source.ts'
import { liveSourceOptions, reportInto } from './testing/live-source-options.ts'
import { anIngestedUsage, aSink } from './testing/usage-equipment.ts'
import { refusedBySink, type SinkRefusal } from './usage/usage-sink.ts'

const KEY = 'management-key'
const MINUTE = 60_000
const ana = aFakeAccount({ name: 'ana' })

const running: LiveSource[] = []
afterEach(async () => {
  for (const source of running.splice(0)) await source.stop()
})

async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1)
    await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Two monitors of one proxy; the test decides which one acts for it. */
function twoMonitors() {
  const clock = virtualClock(settle)
  const fake = createFakeUpstream({ now: clock.now, managementKey: KEY, accounts: [ana] })
  let stored = 0
  let lastPollAt: number | null = null
  const missing: number[] = []
  const monitor = (startsOurs: boolean) => {
    let isOurs = startsOurs
    const taken: (() => void)[] = []
    const ready: (() => void)[] = []
    let isBroken = false
    const refusal = (): SinkRefusal | null => (isOurs ? null : 'standby')
    const sink = aSink({
      refusal,
      now: clock.now,
      position: () => ({ lastPollAt: lastPollAt as never }),
      onReady: (listener) => void ready.push(listener),
      async recordGap() {
        missing.push(-1)
      },
      async recordMissing(count) {
        missing.push(count)
      },
      async storeQueue(answer, { usageAt }) {
        if (isBroken) throw refusedBySink('store_unavailable')
        const count = (JSON.parse(Buffer.from(answer).toString()) as unknown[]).length
        stored += count
        lastPollAt = usageAt
        return anIngestedUsage({
          elementCount: count,
          listedCount: count,
          tally: { seen: count, stored: count, duplicate: 0, quarantined: 0, expired: 0 },
        })
      },
    })
    const source = createLiveSource(liveSourceOptions(KEY), {
      clock,
      fetch: fetchOf(fake),
      random: () => 0.5,
      log: silentLog,
      usageSink: sink,
      report: reportInto([]),
      duty: {
        isOurs: () => isOurs,
        onTaken: (listener) => void taken.push(listener),
      },
    })
    running.push(source)
    source.start(() => undefined)
    return {
      source,
      latest: () => source.latest(clock.now()),
      becomes(next: boolean) {
        isOurs = next
        if (next) for (const listener of [...taken, ...ready]) listener()
      },
      breakStore(broken: boolean) {
        isBroken = broken
      },
    }
  }
  const rememberedOf = ({ latest }: ReturnType<typeof monitor>): RememberedPool => {
    const { sources, evidenceByAuthName } = latest()
    const list = sources.accounts.lastGood
    if (list === null) throw new Error('no list was read')
    return {
      source: 'live',
      gatewayUp: true,
      listedAt: list.at,
      accounts: list.value.accounts.map((account) => ({
        account,
        evidence: evidenceByAuthName.get(account.selector.authName) ?? null,
      })),
    }
  }
  const recordRequests = (count: number) => {
    for (let number = 0; number < count; number += 1) {
      fake.usage.record({ at: clock.now(), source: 'a', authIndex: `${number}` })
    }
  }
  return {
    clock,
    fake,
    monitor,
    rememberedOf,
    recordRequests,
    storedCount: () => stored,
    missing,
  }
}

it('a standby reads the account list, asks the vendor nothing and takes no usage', async () => {
  const { clock, fake, monitor, recordRequests, storedCount } = twoMonitors()
  const standby = monitor(false)
  recordRequests(3)
  await clock.advance(10 * MINUTE)

  expect(standby.latest().sources.accounts.lastGood?.value.accounts).toHaveLength(1)
  expect(fake.vendorCalls).toHaveLength(0)
  expect(storedCount()).toBe(0)
  expect(standby.latest().sources.usage.outcome).toEqual({ kind: 'off', reason: 'standby' })
  expect(standby.latest().sources.direct_quota.outcome).toEqual({ kind: 'off', reason: 'standby' })
})

it('a standby knows what the other monitor has read, and does not ask about it again when it takes over', async () => {
  const { clock, fake, monitor, rememberedOf } = twoMonitors()
  const [first, second] = [monitor(true), monitor(false)]
  await clock.advance(MINUTE)
  expect(fake.vendorCalls).toHaveLength(1)
  expect(second.latest().evidenceByAuthName.size).toBe(0)

  second.source.adopt(rememberedOf(first))
  expect(second.latest().evidenceByAuthName.get(ana.fileName)?.samples).toEqual(
    first.latest().evidenceByAuthName.get(ana.fileName)?.samples,
  )

  first.becomes(false)
  second.becomes(true)
  await clock.advance(MINUTE)
  expect(fake.vendorCalls).toHaveLength(1)
  await clock.advance(10 * MINUTE)
  expect(fake.vendorCalls.length).toBeGreaterThan(1)
})

it('what another monitor says does not take the place of what this one asks itself', async () => {
  const { clock, monitor, rememberedOf } = twoMonitors()
  const first = monitor(true)
  await clock.advance(MINUTE)
  const before = rememberedOf(first)
  const [{ account, evidence }] = before.accounts as [RememberedPool['accounts'][number]]
  const invented = { at: clock.now(), kind: 'auth', httpStatus: 401, inARow: 9 } as const
  if (evidence === null) throw new Error('nothing was read')
  first.source.adopt({
    ...before,
    accounts: [{ account, evidence: { ...evidence, probeFailure: invented } }],
  })

  expect(first.latest().evidenceByAuthName.get(ana.fileName)?.probeFailure).toBe(null)
})

it('who takes over counts nothing as missing that the other has taken', async () => {
  const { clock, monitor, recordRequests, storedCount, missing } = twoMonitors()
  const [first, second] = [monitor(true), monitor(false)]
  for (const turn of [first, second, first, second]) {
    const other = turn === first ? second : first
    other.becomes(false)
    turn.becomes(true)
    recordRequests(20)
    await clock.advance(5 * MINUTE)
    expect(turn.latest().usageRivalSuspected).toBe(false)
    expect(other.latest().usageRivalSuspected).toBe(false)
  }

  expect(storedCount()).toBe(80)
  expect(missing).toEqual([])
})

it('a batch that was taken before another monitor took over is stored all the same', async () => {
  const { clock, monitor, recordRequests, storedCount } = twoMonitors()
  const first = monitor(true)
  await clock.advance(MINUTE)
  first.breakStore(true)
  recordRequests(7)
  await clock.advance(MINUTE)
  expect(storedCount()).toBe(0)

  first.becomes(false)
  first.breakStore(false)
  recordRequests(5)
  await clock.advance(10 * MINUTE)
  expect(storedCount()).toBe(7)
})
