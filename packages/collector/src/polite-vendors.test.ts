import { DAY_MS, defaultPolicy, evaluateAccount, type ProviderId } from '@svc/core'
import { aFakeAccount, type FakeAccount, fakeWindows, type VendorCall } from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import { HOUR, MINUTE } from './testing/live-world.ts'
import {
  type DayMonitor,
  endDays,
  someAccounts,
  type VendorDays,
  vendorDays,
} from './testing/vendor-days.ts'

afterEach(endDays)

/** Budgets of the vendors, in the words of the rules: least minutes between two quota queries of an account, pauses after a 429. */
const BUDGETS = {
  claude: { minutes: 15, pauseMinutes: [30, 60, 120, 240, 360] },
  xai: { minutes: 10, pauseMinutes: [10, 20, 40, 80, 120] },
  kimi: { minutes: 10, pauseMinutes: [10, 20, 40, 80, 120] },
  antigravity: { minutes: 15, pauseMinutes: [30] },
} as const
const PROVIDERS = Object.keys(BUDGETS) as readonly (keyof typeof BUDGETS)[]
const CLAUDE_APART_MS = 3_000
const CLAUDE_ANSWERS_MS = 2_000

function poolOf(perProvider: number, changes: Partial<FakeAccount> = {}) {
  return PROVIDERS.flatMap((provider) =>
    someAccounts(perProvider, (name) => aFakeAccount({ name, provider, ...changes })),
  )
}

const gapsOf = (calls: readonly VendorCall[]): readonly number[] =>
  calls.slice(1).map(({ at }, index) => at - (calls[index]?.at ?? 0))

const callsOf = (calls: readonly VendorCall[], provider: ProviderId) =>
  calls.filter((call) => call.provider === provider)

/** The shortest time between two of these calls about one account. */
function shortestGap(calls: readonly VendorCall[]): number {
  const byAccount = new Map<FakeAccount | null, VendorCall[]>()
  for (const call of calls)
    byAccount.set(call.account, [...(byAccount.get(call.account) ?? []), call])
  return Math.min(...[...byAccount.values()].flatMap(gapsOf))
}

function expectWithinBudgets(calls: readonly VendorCall[]): void {
  for (const provider of PROVIDERS) {
    const own = callsOf(calls, provider)
    const { minutes } = BUDGETS[provider]
    const quota = own.filter(({ kind }) => kind === 'quota')
    expect(shortestGap(quota), provider).toBeGreaterThanOrEqual(minutes * MINUTE)
    expect(shortestGap(own.filter(({ kind }) => kind === 'plan'))).toBeGreaterThanOrEqual(DAY_MS)
  }
  // One at a time, plans included, each after the end of the one before.
  expect(Math.min(...gapsOf(callsOf(calls, 'claude')))).toBeGreaterThanOrEqual(
    CLAUDE_APART_MS + CLAUDE_ANSWERS_MS,
  )
}

const namesOf = (files: readonly FakeAccount[]) =>
  files.map(({ provider, email }) => `${provider} ${email}`)

/** Blocked reasons of an account as a monitor sees it. */
function reasonsOf(world: VendorDays, monitor: DayMonitor, file: FakeAccount) {
  const { account, evidence } = world.known(monitor, file)
  return evaluateAccount(account, evidence, defaultPolicy, world.clock.now()).blockedReasons
}

/** `VENDOR_ACCOUNTS=50` takes three minutes of a processor. */
const ACCOUNTS_EACH = Number(process.env.VENDOR_ACCOUNTS ?? 15)

describe('the budget of each vendor', () => {
  it(`is kept by ${ACCOUNTS_EACH} accounts a provider for 24 h, over two restarts and two monitors`, {
    timeout: 600_000,
  }, async () => {
    const accounts = poolOf(ACCOUNTS_EACH)
    for (const account of accounts)
      if (account.provider === 'claude')
        account.vendor = { kind: 'slow', delayMs: CLAUDE_ANSWERS_MS }
    const world = vendorDays({ accounts, providers: PROVIDERS, refreshSeconds: 120 })
    /** Four hours, in each of which the acting monitor refreshes everything and the other one reads the store. */
    const passes = async (acting: DayMonitor, standby: DayMonitor) => {
      for (let part = 0; part < 4; part += 1) {
        await world.advance(HOUR)
        acting.source.refresher.begin({ scope: 'default' })
        standby.source.adopt(world.stored(acting))
      }
    }
    const handOver = (from: DayMonitor, to: DayMonitor) => {
      from.standsBy()
      to.source.adopt(world.stored(from))
      to.takesOver()
    }
    const [first, second] = [world.monitor(), world.monitor({ acts: false })]
    await passes(first, second)

    // A store that is opened after the first list.
    const left = world.stored(first)
    await first.source.stop()
    const third = world.monitor({ opens: false })
    await world.advance(1_000)
    third.source.restore(left)
    third.opens()
    await passes(third, second)
    handOver(third, second)
    await passes(second, third)

    // A store that is opened before it.
    const leftBySecond = world.stored(second)
    await second.source.stop()
    const fourth = world.monitor()
    fourth.source.restore(leftBySecond)
    await passes(fourth, third)
    handOver(fourth, third)
    await passes(third, fourth)
    handOver(third, fourth)
    await passes(fourth, third)

    expectWithinBudgets(world.calls)
    const lastHalfHour = world.calls.filter(({ at }) => world.clock.now() - at < 30 * MINUTE)
    expect(new Set(lastHalfHour.map(({ account }) => account)).size).toBe(accounts.length)
  })

  it('asks Google about nobody unless told to', async () => {
    const world = vendorDays({ accounts: poolOf(2), providers: ['codex', 'claude', 'xai', 'kimi'] })
    world.monitor()
    await world.advance(2 * HOUR)

    expect(new Set(world.calls.map(({ provider }) => provider))).toEqual(
      new Set(['claude', 'xai', 'kimi']),
    )
  })

  it('asks nothing about a Claude account whose clients bring both windows', async () => {
    const busy = aFakeAccount({ name: 'busy', provider: 'claude', requestsPerHour: 12 })
    const idle = aFakeAccount({ name: 'idle', provider: 'claude' })
    const world = vendorDays({ accounts: [busy, idle], providers: ['claude'], readsUsage: true })
    const monitor = world.monitor()
    await world.advance(3 * HOUR)
    const asked = (file: FakeAccount) => world.calls.filter(({ account }) => account === file)
    // Nothing but the plan, which no header shows, once its clients were heard of.
    expect(asked(busy).map(({ kind }) => kind)).toEqual(['quota', 'plan'])
    expect(asked(busy)[0]?.at).toBeLessThan(asked(idle)[1]?.at ?? 0)
    expect(asked(idle).length).toBeGreaterThan(10)
    const { evidence } = world.known(monitor, busy)
    expect(evidence?.samples.map(({ origin }) => origin)).toContain('headers')

    busy.requestsPerHour = 0
    await world.advance(HOUR)
    expect(asked(busy).length).toBeGreaterThan(2)
  })
})

describe('a storm of 429', () => {
  it('ends in silence at every vendor, over a restart, and takes no reading away', async () => {
    const world = vendorDays({ accounts: poolOf(3), providers: PROVIDERS, refreshSeconds: 120 })
    const first = world.monitor()
    await world.advance(HOUR)
    const began = world.calls.length
    for (const provider of PROVIDERS)
      world.fake.failVendor(provider, { kind: 'throttled', retryAfter: null })
    await world.advance(8 * HOUR)
    const left = world.stored(first)
    await first.source.stop()
    const second = world.monitor()
    second.source.restore(left)
    await world.advance(16 * HOUR)

    const storm = world.calls.slice(began)
    for (const provider of PROVIDERS) {
      const { pauseMinutes } = BUDGETS[provider]
      // Two may be under way when the first is refused.
      const pauses = gapsOf(callsOf(storm, provider)).filter((gap) => gap > 10_000)
      expect(callsOf(storm, provider).length - pauses.length, provider).toBeLessThanOrEqual(2)
      for (const [index, gap] of pauses.entries()) {
        const least = pauseMinutes[Math.min(index, pauseMinutes.length - 1)] ?? 0
        expect(gap, `${provider}, pause ${index + 1}`).toBeGreaterThanOrEqual(least * MINUTE)
      }
    }
    expect(
      world
        .paused(second)
        .map(({ provider }) => provider)
        .toSorted(),
    ).toEqual([...PROVIDERS].sort())
    for (const file of world.fake.accounts)
      expect(world.known(second, file).evidence?.samples[0]?.windows.length).toBeGreaterThan(0)

    for (const provider of PROVIDERS) world.fake.failVendor(provider, null)
    await world.advance(8 * HOUR)
    expect(world.paused(second)).toEqual([])
  })
})

describe('a refused login of any vendor', () => {
  it.each(['queries', 'requests'] as const)(
    'whose token is about to be refreshed condemns nobody: met by %s',
    async (by) => {
      const accounts = poolOf(3, { vendor: 'token_expired' })
      const providers = by === 'queries' ? PROVIDERS : []
      const world = vendorDays({ accounts, providers, readsUsage: true, refreshSeconds: 15 })
      const monitor = world.monitor()
      const seen = new Set<string>()
      await world.advance(MINUTE)
      for (let minute = 0; minute < 75; minute += 1) {
        if (by === 'requests' && minute < 8)
          for (const account of accounts) world.fake.traffic(account, { failed: 2 })
        for (const account of accounts) {
          if (minute === 8) world.fake.refreshToken(account)
          if (by === 'requests' && minute === 9) world.fake.traffic(account, { success: 1 })
          for (const reason of reasonsOf(world, monitor, account)) seen.add(reason)
        }
        await world.advance(MINUTE)
      }

      expect(seen).not.toContain('auth_invalid')
      expect(accounts.flatMap((file) => reasonsOf(world, monitor, file))).toEqual([])
    },
  )

  it.each(['queries', 'requests'] as const)(
    'that is revoked is condemned within the hour: met by %s',
    async (by) => {
      const revoked = poolOf(1, { vendor: 'token_invalidated' })
      const accounts = [
        ...revoked,
        ...PROVIDERS.map((provider) => aFakeAccount({ name: 'well', provider })),
      ]
      const providers = by === 'queries' ? PROVIDERS : []
      const world = vendorDays({ accounts, providers, readsUsage: true, refreshSeconds: 15 })
      const monitor = world.monitor()
      for (let minute = 0; minute < 58; minute += 1) {
        await world.advance(MINUTE)
        if (by === 'requests' && minute % 10 === 0)
          for (const account of revoked) world.fake.traffic(account, { failed: 1 })
      }
      await world.advance(MINUTE)

      const dead = accounts.filter((file) =>
        reasonsOf(world, monitor, file).includes('auth_invalid'),
      )
      expect(namesOf(dead)).toEqual(namesOf(revoked))
    },
  )
})

describe('a proxy that clears all errors whenever a file changes', () => {
  it.each(['queries', 'requests'] as const)(
    'revives no condemned and no used-up account: known by %s',
    async (by) => {
      const spent = {
        claude: { '5h': 100, week: 40 },
        xai: { week: 100 },
        kimi: { '5h': 0, week: 100 },
      }
      const accounts = [
        ...poolOf(1, { vendor: 'token_invalidated' }),
        ...Object.entries(spent).map(([provider, windows]) =>
          aFakeAccount({ name: 'spent', provider, windows: fakeWindows(windows) }),
        ),
      ]
      const other = aFakeAccount({ name: 'other', provider: 'claude' })
      const providers = by === 'queries' ? PROVIDERS : []
      const world = vendorDays({
        accounts: [...accounts, other],
        providers,
        readsUsage: true,
        refreshSeconds: 15,
      })
      const monitor = world.monitor()
      const blocked = () =>
        namesOf(accounts.filter((file) => reasonsOf(world, monitor, file).length > 0))
      const all = namesOf(accounts)
      for (let minute = 0; minute < 40; minute += 1) {
        await world.advance(MINUTE)
        if (minute % 9 === 0)
          for (const account of accounts) world.fake.traffic(account, { failed: 1 })
      }
      await world.advance(MINUTE)
      expect(blocked()).toEqual(all)

      for (let change = 0; change < 6; change += 1) {
        // Without a reading nobody knows how long a plan is used up, so clients meet the refusal again.
        if (by === 'requests')
          for (const account of accounts.slice(PROVIDERS.length))
            world.fake.traffic(account, { failed: 1 })
        await world.advance(MINUTE)
        world.fake.write(other)
        await world.advance(MINUTE)
        expect(blocked(), `change ${change + 1}`).toEqual(all)
        await world.advance(8 * MINUTE)
        expect(blocked(), `after change ${change + 1}`).toEqual(all)
      }
      expect(reasonsOf(world, monitor, other)).toEqual([])
    },
  )
})
