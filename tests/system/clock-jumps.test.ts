import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { type Clock, DEFAULT_UPSTREAM, SETTLED_AFTER_MS } from '@svc/core/service'
import { NOW, silentLog } from '@svc/core/testing'
import type { UsageDetail } from '@svc/core/usage'
import { exportBackup, openHistory, openUsage } from '@svc/history'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { createTrustedClock } from '../../packages/monitor/src/clock/trusted-clock.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const PLAN = { usageDays: 3, historyDays: 3 }
const ALL_IS_THERE = { deleted: 0, hidden: 0 }
const root = mkdtempSync(join(tmpdir(), 'svc-clock-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let machineCount = 0

/** What the proxy's clock shows: the right time, the same as ours, or it does not say. */
type ProxyClock = 'right' | 'ours' | 'silent'
type Machine = Awaited<ReturnType<typeof aMachine>>

/** A service on a machine whose wall clock does what it likes. Time is what `time` says. */
async function aMachine(proxyClock: ProxyClock) {
  machineCount += 1
  const path = join(root, `${machineCount}.db`)
  let time: EpochMs = NOW
  let aheadMs = 0
  let store = await openHistory(path)
  let requestCount = 0
  const waiting: UsageDetail[] = []
  const acknowledged: UsageDetail[] = []

  const proxyNow = () =>
    epochMs(Math.floor((time + (proxyClock === 'ours' ? aheadMs : 0)) / 1000) * 1000)
  const boot = async () => {
    const startedAt = time
    const clock: Clock = {
      now: () => plusMs(time, aheadMs),
      monotonicMs: () => time - startedAt,
      schedule: () => () => undefined,
    }
    const booted = createTrustedClock({ clock, log: silentLog })
    // A proxy answers sooner than a store is open.
    if (proxyClock !== 'silent') booted.proxySaid(proxyNow())
    booted.storeSaid(await store.facts())
    return booted
  }
  let clock = await boot()

  const poll = async () => {
    const { doubt, falseAfter, certain, latest } = clock.read()
    if (doubt !== null) return
    if (falseAfter !== null) await store.settleFuture(falseAfter)
    const taken = waiting.splice(0)
    const details = taken.filter(({ at }) => at <= latest + DAY_MS)
    // Where nobody but we tell the time, what is far ahead of us may as well be wrong.
    if (proxyClock !== 'silent')
      expect(details, 'no record seems to come from the future').toEqual(taken)
    const tally = await store.usageOf(DEFAULT_UPSTREAM).record({
      receivedAt: plusMs(time, aheadMs),
      certainAt: certain,
      details,
      quarantined: [],
      saturatedCount: 0,
    })
    const young = details.filter(({ at }) => time - at < PLAN.usageDays * DAY_MS)
    expect(tally.stored, 'nothing young is dropped').toBeGreaterThanOrEqual(young.length)
    acknowledged.push(...young)
    for (const { at } of details) clock.recordStored(at)
  }

  const machine = {
    jump(milliseconds: number) {
      aheadMs += milliseconds
    },
    setRight() {
      aheadMs = 0
    },
    /** Puts rows of these ages into the store, as an import does. */
    async restore(agesMs: readonly number[]) {
      const details = agesMs.map((ageMs, index): UsageDetail => {
        return {
          at: plusMs(time, -ageMs),
          key: BigInt(-index - 1),
          accountKey: 'a',
          apiName: 'b',
          model: 'c',
          tokens: 1,
          failed: false,
        }
      })
      await store
        .usageOf(DEFAULT_UPSTREAM)
        .record({ receivedAt: time, details, quarantined: [], saturatedCount: 0 })
      acknowledged.push(...details)
    },
    /** Notes that the last minutes were missed. */
    miss: (milliseconds: number) =>
      store.usageOf(DEFAULT_UPSTREAM).recordGap({
        from: plusMs(time, -milliseconds),
        to: time,
        reason: 'retention_exceeded',
      }),
    missedMs: () => store.missedMs(plusMs(time, -DAY_MS), time),
    waitingCount: () => waiting.length,
    async restart() {
      await store.close()
      store = await openHistory(path)
      clock = await boot()
    },
    /** Time goes on, requests happen, the proxy is read, and what is too old is forgotten. */
    async work(milliseconds: number) {
      time = plusMs(time, milliseconds)
      for (let number = 0; number < 3; number += 1) {
        requestCount += 1
        const at = plusMs(time, -number)
        waiting.push({
          at,
          key: BigInt(requestCount),
          accountKey: 'a',
          apiName: 'b',
          model: 'c',
          tokens: 1,
          failed: false,
        })
      }
      if (proxyClock !== 'silent') clock.proxySaid(proxyNow())
      await poll()
      clock.storeSaid(await store.facts())
      const asOf = clock.forgettingTime()
      if (asOf === null) return
      while (await store.retain(PLAN, { asOf: asOf, rowsMax: 2_000 })) {}
      clock.forgotten(asOf)
    },
    isTrusted: () => clock.read().doubt === null,
    /** Rows that were acknowledged, are younger than this, and are gone all the same. */
    async deleted(ageMs: number) {
      const output = `${path}.json`
      await exportBackup({ statePath: path, output, exportedAt: '', appVersion: '' })
      const { tables } = JSON.parse(readFileSync(output, 'utf8')) as {
        tables: { usage: readonly (readonly [at: number, key: string])[] }
      }
      rmSync(output)
      const kept = new Set(tables.usage.map(([, key]) => key))
      return acknowledged.filter(({ at, key }) => time - at < ageMs && !kept.has(String(key)))
        .length
    },
    /** What was acknowledged and is deleted before its age; what is not shown, of the last day and of all time. */
    async missing() {
      const usage = await openUsage({ location: path, retentionDays: PLAN.usageDays })
      const { lastDay, history } = await usage.summary(plusMs(time, 1))
      await usage.close()
      // The last day is shown in whole quarters of an hour, of which the first may have begun before it.
      const lately = acknowledged.filter(({ at }) => time - at < DAY_MS - 15 * MINUTE_MS).length
      const hidden =
        Math.max(0, lately - lastDay.requests) +
        Math.max(0, acknowledged.length - history.totals.requests)
      return { deleted: await machine.deleted(PLAN.usageDays * DAY_MS), hidden }
    },
    close: () => store.close(),
  }
  return machine
}

const jumps = fc.oneof(
  fc.integer({ min: -MINUTE_MS, max: MINUTE_MS }),
  fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS }),
  fc.integer({ min: -3 * 365 * DAY_MS, max: 3 * 365 * DAY_MS }),
)
const steps: fc.Arbitrary<(machine: Machine) => Promise<void> | void> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .integer({ min: 1_000, max: 10 * MINUTE_MS })
      .map((ms) => (machine: Machine) => machine.work(ms)),
  },
  {
    weight: 2,
    arbitrary: fc
      .integer({ min: HOUR_MS, max: 2 * DAY_MS })
      .map((ms) => (machine: Machine) => machine.work(ms)),
  },
  { weight: 3, arbitrary: jumps.map((ms) => (machine: Machine) => machine.jump(ms)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      (machine: Machine) => machine.restart(),
      (machine: Machine) => machine.setRight(),
    ),
  },
)

describe('a wall clock that jumps by seconds or years at any time, with restarts in between', () => {
  it.each(['right', 'silent'] as const)(
    'deletes no acknowledged row before its age and hides none (clock of the proxy: %s)',
    async (proxyClock) => {
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 40 }), async (walk) => {
          const machine = await aMachine(proxyClock)
          await machine.work(1_000)
          for (const step of walk) await step(machine)
          expect(await machine.missing()).toEqual(ALL_IS_THERE)
          // Set right, it is trusted again without help, and takes what has waited meanwhile.
          machine.setRight()
          await machine.work(1_000)
          await machine.work(SETTLED_AFTER_MS)
          expect(machine.isTrusted()).toBe(true)
          expect(await machine.missing()).toEqual(ALL_IS_THERE)
          await machine.close()
        }),
        { numRuns: 60 },
      )
    },
    120_000,
  )
})

describe('a machine whose clock is wrong, and with it that of the proxy', () => {
  const afterDays = async () => {
    const machine = await aMachine('ours')
    await machine.work(SETTLED_AFTER_MS)
    for (let hour = 0; hour < 60; hour += 1) await machine.work(HOUR_MS)
    machine.jump(400 * DAY_MS)
    return machine
  }

  it.each([
    ['while it runs', (_: Machine) => undefined],
    ['at a start', (machine: Machine) => machine.restart()],
  ])('for a minute by a year, %s: nothing is deleted', async (_, before) => {
    const machine = await afterDays()
    await before(machine)
    for (let seconds = 0; seconds < 70; seconds += 5) {
      await machine.work(5_000)
      expect(machine.isTrusted()).toBe(false)
    }
    machine.setRight()
    await machine.work(5_000)
    await machine.work(SETTLED_AFTER_MS)
    expect(machine.isTrusted()).toBe(true)
    expect(await machine.missing()).toEqual(ALL_IS_THERE)
    await machine.close()
  })

  it.each([730, 200])(
    'by %i days too early at a start: nothing is taken, and no gap is taken back',
    async (days) => {
      const machine = await afterDays()
      machine.setRight()
      await machine.work(5_000)
      await machine.work(SETTLED_AFTER_MS)
      await machine.miss(10 * MINUTE_MS)
      machine.jump(-days * DAY_MS)
      await machine.restart()
      for (let seconds = 0; seconds < 70; seconds += 5) await machine.work(5_000)
      expect({ isTrusted: machine.isTrusted(), waiting: machine.waitingCount() }).toEqual({
        isTrusted: false,
        waiting: 42,
      })
      machine.setRight()
      await machine.work(5_000)
      await machine.work(SETTLED_AFTER_MS)
      expect({ waiting: machine.waitingCount(), missedMs: await machine.missedMs() }).toEqual({
        waiting: 0,
        missedMs: 10 * MINUTE_MS,
      })
      expect(await machine.missing()).toEqual(ALL_IS_THERE)
      await machine.close()
    },
  )

  it('by years for a long time keeps the gaps that the newest row lies behind', async () => {
    const machine = await afterDays()
    machine.setRight()
    await machine.work(5_000)
    await machine.work(SETTLED_AFTER_MS)
    await machine.miss(10 * MINUTE_MS)
    await machine.work(5_000)
    machine.jump(-730 * DAY_MS)
    for (let ms = 0; ms < 3 * SETTLED_AFTER_MS; ms += 30_000) await machine.work(30_000)
    machine.setRight()
    await machine.work(5_000)
    await machine.work(SETTLED_AFTER_MS)
    expect(await machine.missedMs()).toBe(10 * MINUTE_MS)
    await machine.close()
  })

  it('for longer: a day is deleted every few minutes at the most', async () => {
    const machine = await afterDays()
    for (let ms = 0; ms < 2 * SETTLED_AFTER_MS; ms += 30_000) await machine.work(30_000)
    // After two strides of a day the youngest of three is still whole.
    expect(await machine.deleted(DAY_MS)).toBe(0)
    await machine.close()
  })

  it('for longer, on a store that has never forgotten anything: its rows are not deleted at once', async () => {
    const machine = await aMachine('ours')
    await machine.restore([2 * DAY_MS, DAY_MS, HOUR_MS])
    machine.jump(400 * DAY_MS)
    await machine.restart()
    for (let ms = 0; ms < 2 * SETTLED_AFTER_MS; ms += 30_000) await machine.work(30_000)
    expect(await machine.deleted(PLAN.usageDays * DAY_MS)).toBe(0)
    await machine.close()
  })
})
