import { epochMs } from '@svc/core'
import type { RememberedPool } from '@svc/core/pool'
import { aFakeAccount, type FakeAccount } from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import { identitiesIn } from './accounts/login-aliases.ts'
import { aWorld, endWorlds, HOUR, MINUTE, type World } from './testing/live-world.ts'

afterEach(endWorlds)

const USER_ID = 'd1ab2c3d4e5f6g7h8i9j'
/** Enough for the first round, and the list after it. */
const ROUND = 7 * MINUTE

const kimi = (login: number, accountId = USER_ID) =>
  aFakeAccount({ name: `k${login}`, provider: 'kimi', accountId, fileName: `kimi-${login}.json` })

const accountsIn = (world: World) => world.latest().sources.accounts.lastGood?.value.accounts ?? []
const keyIn = (world: World, file: FakeAccount) =>
  accountsIn(world).find(({ selector }) => selector.authName === file.fileName)?.selector.accountKey

/** The pool as a store keeps it: listed accounts, and logins with an identity. */
function storedPool(world: World): RememberedPool {
  const evidenceOf = world.latest().evidenceByAuthName
  const accounts = accountsIn(world).map((account) => ({
    account,
    evidence: evidenceOf.get(account.selector.authName) ?? null,
  }))
  return {
    source: 'live',
    gatewayUp: true,
    listedAt: world.clock.now(),
    accounts,
    logins: accounts.flatMap(({ account, evidence }) =>
      identitiesIn(evidence ?? undefined).map((identity) => ({
        identity,
        accountKey: account.selector.accountKey,
        seenAt: epochMs(world.clock.now()),
      })),
    ),
  }
}

describe('an account whose vendor names its identity', () => {
  it('keeps its first key after a login under another name', async () => {
    const [first, second] = [kimi(1), kimi(2)]
    const world = aWorld({ accounts: [first] })
    await world.clock.advance(ROUND)
    const key = keyIn(world, first)
    world.fake.remove(first)
    world.fake.add(second)
    await world.clock.advance(MINUTE)

    expect(key).toBeDefined()
    expect(keyIn(world, second)).toBe(key)
    // The file keeps what was read of it: nothing is asked twice.
    expect(world.callsOf(second)).toBe(1)
    expect(world.evidenceOf(second)?.samples).toHaveLength(1)
    await world.clock.advance(HOUR)
    expect(world.callsOf(second)).toBeLessThanOrEqual(7)
  })

  it('keeps it over a restart during which it logged in again', async () => {
    const first = kimi(1)
    const before = aWorld({ accounts: [first] })
    await before.clock.advance(ROUND)
    const stored = storedPool(before)
    const second = kimi(2)
    const world = aWorld({ accounts: [second] })
    world.source.restore(stored)
    await world.clock.advance(ROUND)

    expect(keyIn(world, second)).toBe(keyIn(before, first))
  })
})
