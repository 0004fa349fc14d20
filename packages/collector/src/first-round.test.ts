import { aFakeAccount } from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import { MINUTE } from './testing/live-world.ts'
import { endDays, someAccounts, vendorDays } from './testing/vendor-days.ts'

afterEach(endDays)

const PROVIDERS = ['codex', 'claude', 'xai', 'kimi']
/** Queries a minute by default. */
const PER_MINUTE = 30

/** Seconds until the first quota query of each account, by provider, in a world with so many accounts of each. */
async function firstRound(
  counts: Readonly<Record<string, number>>,
  { hasStore = true, minutes = 30 } = {},
) {
  const accounts = Object.entries(counts).flatMap(([provider, count]) =>
    someAccounts(count, (name) => aFakeAccount({ name: `${provider}-${name}`, provider })),
  )
  const world = vendorDays({ accounts, providers: PROVIDERS, refreshSeconds: 120 })
  const startedAt = world.clock.now()
  const monitor = world.monitor({ opens: hasStore })
  if (!hasStore) monitor.fails()
  await world.advance(minutes * MINUTE)
  const seconds = new Map<string, number[]>()
  for (const { provider } of accounts) seconds.set(provider, [])
  for (const account of accounts) {
    const first = world.calls.find((call) => call.account === account && call.kind === 'quota')
    seconds
      .get(account.provider)
      ?.push(((first?.at ?? Number.POSITIVE_INFINITY) - startedAt) / 1000)
  }
  return {
    of: (provider: string) => seconds.get(provider) ?? [],
    all: [...seconds.values()].flat(),
    calls: world.calls.map(({ at }) => (at - startedAt) / 1000),
  }
}

/** Maximum number of calls within any minute. */
function mostInAMinute(calls: readonly number[]): number {
  return Math.max(...calls.map((from) => calls.filter((at) => at >= from && at < from + 60).length))
}

const inOrder = (times: readonly number[]) => times.toSorted((one, other) => one - other)

describe('the first round with a store that knows of no query', () => {
  it.each([
    { counts: { codex: 12, claude: 6, xai: 6, kimi: 6 }, seconds: 60 },
    { counts: { xai: 15, kimi: 15 }, seconds: 60 },
    { counts: { codex: 1, claude: 1, xai: 1, kimi: 27 }, seconds: 60 },
    { counts: { codex: 40, claude: 20, xai: 20, kimi: 20 }, seconds: 200 },
    { counts: { codex: 220, claude: 20, xai: 30, kimi: 30 }, seconds: 600 },
  ])(
    'reads $counts within $seconds s, and each vendor’s first at once',
    async ({ counts, seconds }) => {
      const round = await firstRound(counts, { minutes: seconds / 60 + 2 })

      for (const provider of Object.keys(counts))
        expect(Math.min(...round.of(provider)), provider).toBeLessThanOrEqual(15)
      expect(Math.max(...round.all)).toBeLessThanOrEqual(seconds)
      expect(mostInAMinute(round.calls)).toBeLessThanOrEqual(PER_MINUTE)
    },
    200_000,
  )

  it('takes turns between a vendor with five hundred accounts and one with five', async () => {
    const round = await firstRound({ codex: 500, claude: 5 }, { minutes: 2 })

    // Here vendors answer at once, so that the others use up the first minute between two queries of Claude.
    expect(round.of('claude')[0]).toBeLessThanOrEqual(15)
    expect(Math.max(...round.of('claude'))).toBeLessThanOrEqual(80)
    expect(round.of('codex').filter(Number.isFinite).length).toBeGreaterThan(40)
  }, 200_000)
})

describe('the first round without a store', () => {
  it('is spread for each vendor by itself, in another order than that of the files, but for Codex', async () => {
    const round = await firstRound(
      { codex: 5, claude: 10, xai: 20, kimi: 1 },
      { hasStore: false, minutes: 7 },
    )
    for (const provider of PROVIDERS)
      expect(Math.min(...round.of(provider)), provider).toBeLessThanOrEqual(15)
    expect(Math.max(...round.of('codex'))).toBeLessThanOrEqual(5)
    for (const provider of ['claude', 'xai']) {
      const times = round.of(provider)
      expect(Math.max(...times)).toBeGreaterThan(250)
      expect(Math.max(...times)).toBeLessThanOrEqual(310)
      expect(times).not.toEqual(inOrder(times))
    }
  }, 200_000)
})
