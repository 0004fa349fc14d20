import { expect, it } from 'vitest'
import { anAccount, aQuotaSample, aSnapshot, evidenceOf, NOW } from '../testing/builders.ts'
import { poolAtUpstream } from './pool-at-upstream.ts'

const half = evidenceOf([aQuotaSample({ fiveHour: 50, week: 50 })])

/** One pool with alice at both proxies and bob at berlin. */
function aFleetPool() {
  const alice = anAccount('alice')
  const snapshot = aSnapshot([
    [alice, half],
    [anAccount('bob'), half],
  ])
  const standing = (name: string, accounts: boolean) => ({
    name,
    source: accounts ? ('live' as const) : ('unavailable' as const),
    available: accounts,
    sampledAt: accounts ? NOW : null,
    gatewayUp: accounts,
    version: null,
    clockSkewSeconds: null,
    skipped: [],
    fileCount: 0,
    routableCount: 0,
  })
  const [first, second] = snapshot.accounts
  if (first === undefined || second === undefined) throw new Error('two accounts were given')
  const at = (upstream: string, account: typeof first, countedInCapacity = true) => ({
    ...account,
    account: { ...account.account, upstream },
    countedInCapacity,
  })
  return {
    ...snapshot,
    accounts: [at('tokyo', first), at('berlin', second), at('berlin', first, false)],
    upstreams: [standing('tokyo', true), standing('berlin', true), standing('paris', false)],
  }
}

it('an account that stands for itself at another proxy counts at this one alone', () => {
  const berlin = poolAtUpstream(aFleetPool(), 'berlin')

  expect(berlin?.accounts.map(({ countedInCapacity }) => countedInCapacity)).toEqual([true, true])
  expect(berlin?.capacity['5h'].trackedUnits).toBe(2)
  expect(berlin?.routableCount).toBe(2)
})

it('a proxy without a list has no accounts, and is as it is by itself', () => {
  expect(poolAtUpstream(aFleetPool(), 'paris')).toMatchObject({
    accounts: [],
    source: 'unavailable',
    available: false,
    gatewayUp: false,
    topScore: 0,
  })
})

it.each(['oslo', 'default', ''])('there is no pool of a proxy that is not watched: %j', (name) => {
  expect(poolAtUpstream(aFleetPool(), name)).toBe(null)
})
