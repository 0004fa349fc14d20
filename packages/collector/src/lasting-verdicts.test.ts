import { aFakeAccount, aFakeQuota } from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import { aWorld, endWorlds, HOUR, MINUTE, stateIn } from './testing/live-world.ts'

afterEach(endWorlds)

const POLL = 16_000
const NO_QUERIES = { quota: { quotaTransport: 'off' } } as const

/** A mixed pool with one dead and one used-up Codex login. */
function aPool() {
  const accounts = {
    dead: aFakeAccount({ name: 'dead', vendor: 'token_invalidated' }),
    used: aFakeAccount({ name: 'used', quota: aFakeQuota('exhausted_5h', { resets: [5_400] }) }),
    well: aFakeAccount({ name: 'well' }),
    claude: aFakeAccount({ name: 'claude', provider: 'claude' }),
    kimi: aFakeAccount({ name: 'kimi', provider: 'kimi' }),
  }
  return { ...accounts, all: Object.values(accounts) }
}

/** The pool after both bad accounts have failed and the proxy has shown it. */
async function afterFailures(options: Parameters<typeof aWorld>[0] = { options: NO_QUERIES }) {
  const pool = aPool()
  const world = aWorld({ accounts: pool.all, ...options })
  await world.clock.advance(POLL)
  for (const file of [pool.dead, pool.used]) world.fake.traffic(file, { failed: 1 })
  await world.clock.advance(POLL)
  const states = () => [pool.dead, pool.used, pool.well].map((file) => stateIn(world, file))
  return { world, ...pool, states }
}
const BLOCKED = [
  ['auth_invalid', 'auth_invalid', 'upstream_retry_after'],
  ['reset_scheduled', 'upstream_retry_after'],
  ['active'],
]
/** As `BLOCKED`, but the proxy has also forgotten its own wait. */
const REMEMBERED = [['auth_invalid', 'auth_invalid'], ...BLOCKED.slice(1)]

describe('a verdict, in a pool whose quota nobody asks for', () => {
  it('outlasts any change of any file', async () => {
    const { world, claude, kimi, well, states } = await afterFailures()
    expect(states()).toEqual(BLOCKED)
    for (const file of [claude, kimi, well]) {
      world.fake.write(file)
      await world.clock.advance(POLL)
      expect(states()).toEqual(REMEMBERED)
    }
    world.fake.remove(kimi)
    world.fake.add(aFakeAccount({ name: 'new' }))
    await world.clock.advance(10 * MINUTE)
    expect(states()).toEqual(REMEMBERED)
  })

  it('ends with a change of its own file, unproven, and with its reset', async () => {
    const { world, dead, states } = await afterFailures()
    world.fake.write(dead)
    await world.clock.advance(POLL)
    expect(states()).toEqual([['ready_unproven'], ...BLOCKED.slice(1)])
    await world.clock.advance(2 * HOUR)
    expect(states().slice(1)).toEqual([['ready_unproven'], ['active']])
  })
})

it('a query proves a login whose verdict the proxy has forgotten', async () => {
  const { world, dead, claude } = await afterFailures({})
  world.fake.write(claude)
  world.fake.setVendor(dead, 'quota')
  await world.clock.advance(35 * MINUTE)
  expect(stateIn(world, dead)).toEqual(['active'])
})

it('of an earlier process is known from the first list on, also where that was read before', async () => {
  const { world, all, claude, states } = await afterFailures()
  world.fake.write(claude)
  await world.clock.advance(POLL)
  const accounts = world.latest().sources.accounts.lastGood?.value.accounts ?? []
  const left = {
    listedAt: world.clock.now(),
    source: 'live',
    gatewayUp: true,
    accounts: accounts.map((account) => ({ account, evidence: null })),
  } as const
  for (const isLate of [false, true]) {
    const next = aWorld({ accounts: all, options: NO_QUERIES })
    if (isLate) await next.clock.advance(1_000)
    next.source.restore(left)
    await next.clock.advance(1_000)
    expect(all.slice(0, 3).map((file) => stateIn(next, file))).toEqual(states())
  }
})
