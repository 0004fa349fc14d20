import { DAY_MS, defaultPolicy, evaluateAccount } from '@svc/core'
import { aFakeAccount, type FakeAccount, type VendorBehaviour } from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import { MINUTE } from './testing/live-world.ts'
import { type DayMonitor, endDays, type VendorDays, vendorDays } from './testing/vendor-days.ts'

afterEach(endDays)

/** Vendors with a budget: least minutes between two quota queries of an account, and the first pause after a 429. */
const VENDORS = [
  { provider: 'claude', minutes: 15, pauseMinutes: 30 },
  { provider: 'xai', minutes: 10, pauseMinutes: 10 },
  { provider: 'kimi', minutes: 10, pauseMinutes: 10 },
] as const
const PROVIDERS = ['codex', ...VENDORS.map(({ provider }) => provider)]

/** A process that begins where the one before it left nothing but the last queries: it died, or was stopped, before the pool was stored. */
function aWorld(accounts: readonly FakeAccount[], refreshSeconds = 60) {
  const world = vendorDays({ accounts, providers: PROVIDERS, refreshSeconds })
  let running = world.monitor()
  return {
    ...world,
    now: () => running,
    async restarts(end: 'stops' | 'dies') {
      if (end === 'stops') await running.source.stop()
      else running.dies()
      running = world.monitor({ opens: false })
      // The list is there before the store is open.
      await world.advance(700)
      running.opens()
    },
  }
}

const callsOf = (world: VendorDays, file: FakeAccount, kind: 'quota' | 'plan' = 'quota') =>
  world.calls.filter((call) => call.account === file && call.kind === kind)

function reasonsOf(world: VendorDays, monitor: DayMonitor, file: FakeAccount) {
  const { account, evidence } = world.known(monitor, file)
  return evaluateAccount(account, evidence, defaultPolicy, world.clock.now()).blockedReasons
}

describe.each(VENDORS)('$provider, over restarts', ({ provider, minutes, pauseMinutes }) => {
  const alice = () => aFakeAccount({ name: 'alice', provider })
  const throttled: VendorBehaviour = { kind: 'throttled', retryAfter: null }

  it.each(['stops', 'dies'] as const)('is asked within its budget when each %s', async (end) => {
    const file = alice()
    const world = aWorld([file])
    await world.advance(20_000)
    for (let round = 0; round < 4; round += 1) {
      await world.restarts(end)
      await world.advance(30_000)
    }
    expect(callsOf(world, file)).toHaveLength(1)
    expect(callsOf(world, file, 'plan').length).toBeLessThanOrEqual(1)

    await world.advance(minutes * MINUTE)
    const [first, second] = callsOf(world, file)
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(minutes * MINUTE)
  })

  it('counts a query as sent that a process had stored when it died', async () => {
    const file = alice()
    const world = aWorld([file])
    await world.advance(0)
    world.now().dies()
    await world.advance(5_000)
    expect(world.asked.rows()).toEqual([])
    const next = world.monitor()
    // The row is written, and the query never leaves.
    world.asked.afterNextWrite(() => next.dies())
    await world.advance(5_000)
    expect([world.asked.rows().length, world.calls.length]).toEqual([1, 0])

    await world.restarts('dies')
    await world.advance((minutes - 1) * MINUTE)
    expect(world.calls).toEqual([])
    await world.advance(2 * MINUTE)
    expect(callsOf(world, file)).toHaveLength(1)
  })

  it('stays silent after a 429, whoever dies or takes over, and doubles on', async () => {
    const [file, other] = [alice(), aFakeAccount({ name: 'bob', provider })]
    for (const one of [file, other]) one.vendor = throttled
    const world = aWorld([file, other])
    await world.advance(20_000)
    const first = world.calls.length
    await world.restarts('dies')
    const standby = world.monitor({ acts: false })
    await world.advance(MINUTE)
    world.now().dies()
    standby.takesOver()
    await world.advance((pauseMinutes - 2) * MINUTE)
    expect(world.calls).toHaveLength(first)

    await world.advance(20 * MINUTE)
    const again = world.calls.length
    expect(again).toBeGreaterThan(first)
    // The second pause is twice as long.
    await world.restarts('dies')
    await world.advance((2 * pauseMinutes - 21) * MINUTE)
    expect(world.calls.length).toBeLessThanOrEqual(again + 1)
  })

  it('refuses a login twice, a quarter of an hour apart, over restarts', async () => {
    const file = alice()
    file.vendor = 'token_expired'
    const world = aWorld([file])
    await world.advance(20_000)
    expect(callsOf(world, file)).toHaveLength(1)
    await world.restarts('dies')
    await world.advance(13 * MINUTE)
    expect(callsOf(world, file).length).toBe(1)
    expect(reasonsOf(world, world.now(), file)).toEqual([])
    await world.advance(4 * MINUTE)
    expect(callsOf(world, file)).toHaveLength(2)
    expect(reasonsOf(world, world.now(), file)).toEqual(['auth_invalid'])

    await world.restarts('dies')
    await world.advance(5_000)
    expect(reasonsOf(world, world.now(), file)).toEqual(['auth_invalid'])
    expect(callsOf(world, file)).toHaveLength(2)
  })

  it('is asked by who takes over as if it had asked itself', async () => {
    const file = alice()
    const world = aWorld([file])
    const standby = world.monitor({ acts: false })
    await world.advance(20_000)
    for (let round = 0; round < 3; round += 1) {
      world.now().standsBy()
      standby.takesOver()
      await world.advance(30_000)
      standby.standsBy()
      world.now().takesOver()
      await world.advance(30_000)
    }
    expect(callsOf(world, file)).toHaveLength(1)
    expect(callsOf(world, file, 'plan').length).toBeLessThanOrEqual(1)
  })
})

it('a refusal that the list shows is kept where the proxy forgets it and this process dies', async () => {
  const file = aFakeAccount({ name: 'alice', provider: 'claude', vendor: 'network_dead' })
  const world = aWorld([file], 15)
  await world.advance(2_000)
  Object.assign(file, {
    status: 'error',
    unavailable: true,
    statusMessage: 'Your account has been disabled',
    failed: 1,
  })
  await world.advance(20_000)
  const before = reasonsOf(world, world.now(), file)
  expect(before).not.toEqual([])
  Object.assign(file, { status: 'active', unavailable: false, statusMessage: '' })
  await world.restarts('dies')
  await world.advance(5_000)

  expect(reasonsOf(world, world.now(), file)).toEqual(before)
})

it('Codex is not asked at each start, and left alone as long as it said', async () => {
  const [well, limited] = [aFakeAccount({ name: 'well' }), aFakeAccount({ name: 'limited' })]
  limited.vendor = { kind: 'throttled', retryAfter: '1800' }
  const world = aWorld([well, limited])
  await world.advance(5_000)
  for (let round = 0; round < 4; round += 1) {
    await world.restarts('dies')
    await world.advance(30_000)
  }
  // Its reading has died with the process, so it is asked again, a minute later.
  const times = callsOf(world, well).map(({ at }) => at)
  for (const [index, at] of times.slice(1).entries())
    expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(MINUTE)
  expect(callsOf(world, limited)).toHaveLength(1)
  await world.advance(10 * MINUTE)
  expect(callsOf(world, well).length).toBeGreaterThan(1)
  expect(callsOf(world, limited)).toHaveLength(1)
})

it('the plan is asked for once a day, by whichever process', async () => {
  const file = aFakeAccount({ name: 'alice', provider: 'claude' })
  const world = aWorld([file], 600)
  for (let hour = 0; hour < 24; hour += 1) {
    await world.advance(DAY_MS / 24 - 60_000)
    await world.restarts(hour % 2 === 0 ? 'dies' : 'stops')
    await world.advance(59_000)
  }
  expect(callsOf(world, file, 'plan').length).toBeLessThanOrEqual(2)
  expect(callsOf(world, file, 'plan').length).toBeGreaterThan(0)
})

it('nothing goes out under a lease that the store no longer takes for ours, and nothing is asked in a hurry', async () => {
  const file = aFakeAccount({ name: 'alice', provider: 'claude' })
  const world = vendorDays({ accounts: [file], providers: PROVIDERS })
  world.asked.answerWith('not_ours')
  world.monitor()
  await world.advance(10_000)
  expect(world.calls).toEqual([])
  world.asked.answerWith('kept')
  const next = world.monitor()
  await world.advance(10_000)
  expect(callsOf(world, file)).toHaveLength(1)
  expect(world.known(next, file).evidence?.samples).toHaveLength(1)
})
