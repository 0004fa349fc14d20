import { plusMs } from '@svc/core'
import type { RefreshTarget } from '@svc/core/service'
import { anAccount, aQuotaSample, NOW, virtualClock } from '@svc/core/testing'
import { aFakeAccount, type FakeAccount } from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import { aWorld, endWorlds, HOUR, MINUTE, type World } from '../testing/live-world.ts'
import { createAccountBook } from './account-book.ts'
import { takePassiveQuota } from './runner.ts'

afterEach(endWorlds)

const pool = (count: number) =>
  Array.from({ length: count }, (_, index) => aFakeAccount({ name: `user${index}` }))
const keyOf = (world: World, account: FakeAccount) =>
  world
    .latest()
    .sources.accounts.lastGood?.value.accounts.find(
      ({ selector }) => selector.authName === account.fileName,
    )?.selector.accountKey ?? ''
const alone = (world: World, account: FakeAccount): RefreshTarget => ({
  scope: 'account',
  accountKey: keyOf(world, account),
})

describe('a refresh of one account', () => {
  it('asks the vendor about that account alone, at once', async () => {
    const alice = aFakeAccount({ name: 'alice' })
    const bob = aFakeAccount({ name: 'bob' })
    const world = aWorld({ accounts: [alice, bob] })
    await world.clock.advance(MINUTE)
    const run = world.source.refresher.begin(alone(world, alice))
    await world.clock.advance(100)

    expect([world.callsOf(alice), world.callsOf(bob)]).toEqual([2, 1])
    expect([await run.ended, run.tally()]).toEqual([null, { queued: 1, done: 1, failed: 0 }])
  })

  it('fifty times at once, each cancelled, asks the vendor once', async () => {
    const alice = aFakeAccount({ name: 'alice' })
    const world = aWorld({ accounts: [alice] })
    await world.clock.advance(MINUTE)
    world.fake.setVendor(alice, { kind: 'slow', delayMs: 5_000 })
    const before = world.callsOf(alice)
    for (let press = 0; press < 50; press += 1) {
      world.source.refresher.begin(alone(world, alice)).cancel()
      await world.clock.advance(100)
    }
    await world.clock.advance(30_000)

    expect(world.callsOf(alice) - before).toBe(1)
  })
})

describe('a refresh of all', () => {
  it('asks about those that were never read before it asks about others again', async () => {
    const world = aWorld({ accounts: pool(100) })
    await world.clock.advance(1_000)
    expect(world.fake.vendorCalls).toHaveLength(30)
    world.source.refresher.begin({ scope: 'default' })
    await world.clock.advance(4 * MINUTE)

    const first = world.fake.vendorCalls.slice(0, 100).map(({ token }) => token)
    expect(new Set(first).size).toBe(100)
  })
})

describe('a refresh that is cancelled', () => {
  it('takes back what was not asked yet, and keeps the answers under way', async () => {
    const accounts = pool(10)
    const world = aWorld({ accounts })
    await world.clock.advance(MINUTE)
    for (const account of accounts) world.fake.setVendor(account, { kind: 'slow', delayMs: 5_000 })
    const before = world.fake.vendorCalls.length
    const sampledAt = (account: FakeAccount) => world.evidenceOf(account)?.samples[0]?.sampledAt
    const readBefore = new Set(accounts.map(sampledAt))
    const run = world.source.refresher.begin({ scope: 'default' })
    await world.clock.advance(6_000)
    run.cancel()
    expect(run.tally()).toEqual({ queued: 10, done: 2, failed: 0 })
    await world.clock.advance(30_000)

    // Two queries were answered, and the next two were under way.
    expect(world.fake.vendorCalls.length - before).toBe(4)
    expect(accounts.filter((account) => !readBefore.has(sampledAt(account)))).toHaveLength(4)
  })

  it('while the vendor hangs ends at once; the next one is not held up for longer than a query may take', async () => {
    const accounts = pool(2)
    const world = aWorld({ accounts, options: { quota: { quotaProbeConcurrency: 1 } } })
    await world.clock.advance(MINUTE)
    const [hung, other] = accounts
    if (hung === undefined || other === undefined) throw new Error('two accounts are listed')
    world.fake.setVendor(hung, { kind: 'slow', delayMs: 24 * HOUR })
    const run = world.source.refresher.begin(alone(world, hung))
    await world.clock.advance(1_000)
    run.cancel()
    expect(await run.ended).toBeNull()
    const next = world.source.refresher.begin(alone(world, other))
    await world.clock.advance(2 * MINUTE)

    expect(next.tally()).toEqual({ queued: 1, done: 1, failed: 0 })
  })
})

describe('the time a refresh is expected to take', () => {
  it('follows from the budget, and shrinks to nothing', async () => {
    const world = aWorld({ accounts: pool(100) })
    await world.clock.advance(10 * MINUTE)
    const run = world.source.refresher.begin({ scope: 'default' })
    const first = run.expectedMs() ?? 0
    // Between all and nothing of the minute is left.
    expect(first).toBeGreaterThan(70 * 2_000)
    expect(first).toBeLessThan(131 * 2_000)
    const startedMs = world.clock.monotonicMs()
    let endedMs = 0
    void run.ended.then(() => {
      endedMs = world.clock.monotonicMs()
    })
    for (let step = 0; step < 30; step += 1) await world.clock.advance(10_000)

    expect(run.expectedMs()).toBe(0)
    expect(Math.abs(endedMs - startedMs - first)).toBeLessThan(15_000)
  })
})

const alice = anAccount('alice')
const direct = aQuotaSample({ week: 50, ageSeconds: 60 })
const fromHeaders = aQuotaSample({ week: 40, ageSeconds: 5 }, { origin: 'headers' })

/** Alice with a direct sample, after a sample from headers. */
function taken({ sample = fromHeaders, quotaClass = 'primary' as const, querying = false } = {}) {
  const book = createAccountBook(virtualClock(() => Promise.resolve()))
  book.follow([alice])
  const [watched] = book.all()
  if (watched === undefined) throw new Error('alice is listed')
  watched.evidence = { ...watched.evidence, samples: [direct] }
  Object.assign(watched, { quotaClass, querying })
  const activity = {
    accountKey: alice.selector.accountKey,
    samples: sample === null ? [] : [sample],
    lastSuccessAt: plusMs(NOW, -5_000),
  }
  const changed = takePassiveQuota(book.all(), [activity as never], 7_000)
  return { watched, changed }
}

describe('quota that came with answers to requests', () => {
  it('is kept beside the direct sample, and replaces the next query', () => {
    const { watched, changed } = taken()

    expect(changed).toEqual([watched])
    expect(watched.evidence.samples).toEqual([direct, fromHeaders])
    expect(watched.times.lastAttemptAtMs).toBe(7_000)
  })

  it.each([
    { why: 'a query is under way', shape: { querying: true } },
    { why: 'the account is asked for another reason', shape: { quotaClass: 'recovery' as never } },
    {
      why: 'a window is missing',
      shape: { sample: aQuotaSample({ week: null, ageSeconds: 5 }, { origin: 'headers' }) },
    },
  ])('is kept and replaces no query where $why', ({ shape }) => {
    const { watched, changed } = taken(shape)

    expect(changed).toEqual([watched])
    expect(watched.times.lastAttemptAtMs).toBeNull()
  })
})
