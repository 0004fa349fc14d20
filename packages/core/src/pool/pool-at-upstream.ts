import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import type { ProviderId } from '../facts/provider.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import type { EvaluatedPool, ProviderPool } from './evaluated-pool.ts'
import { allAccountsOf, poolOf, providerPoolOf, uniqueAccounts } from './provider-pool.ts'

/** The files of one of several proxies as a separate pool, each account counted once; null for a proxy that is not watched. */
export function poolAtUpstream<Pool extends EvaluatedPool>(
  pool: Pool,
  name: UpstreamName,
): Pool | null {
  const standing = pool.upstreams?.find((one) => one.name === name)
  if (standing === undefined) return null
  return {
    ...poolPart(pool, ({ account }) => account.upstream === name),
    source: standing.source,
    available: standing.available,
    sampledAt: standing.sampledAt,
    gatewayUp: standing.gatewayUp,
    upstreamVersion: standing.version,
    clockSkewSeconds: standing.clockSkewSeconds,
    skipped: standing.skipped,
  }
}

/** The pool of these providers. A single provider keeps its capacity; several are joined into one pool, ordered by provider and then best first. */
export function poolOfProviders<Pool extends EvaluatedPool>(
  pool: Pool,
  providers: readonly ProviderId[] | 'all',
): Pool {
  const [only, ...others] = providers === 'all' ? [] : providers
  if (only !== undefined && others.length === 0)
    return {
      ...pool,
      ...(pool.pools.find(({ provider }) => provider === only) ??
        providerPoolOf(only, [], pool.evaluatedAt)),
    }
  const asked = pool.pools.filter(
    ({ provider }) => providers === 'all' || providers.includes(provider),
  )
  const accounts = allAccountsOf({ pools: asked })
  const provider = providers === 'all' ? providers : providers.join()
  const mixed = { provider, unit: 'mixed' } as const
  return { ...pool, ...poolOf(mixed, accounts, uniqueAccounts(accounts), pool.evaluatedAt) }
}

/** The accounts of a pool that `keeps` accepts, in the same order, as a separate pool. */
export function poolPart<Pool extends EvaluatedPool>(
  pool: Pool,
  keeps: (account: EvaluatedAccount) => boolean,
): Pool {
  const partOf = (whole: ProviderPool) => {
    const part = countedHere(whole.accounts.filter(keeps))
    return { ...poolOf(whole, part, part, pool.evaluatedAt), firstRound: whole.firstRound }
  }
  return { ...pool, ...partOf(pool), pools: pool.pools.map(partOf) }
}

/** Recounts each account by its best file in this part, whichever file counts in the whole pool. */
function countedHere(accounts: readonly EvaluatedAccount[]): readonly EvaluatedAccount[] {
  const seen = new Set<string>()
  return accounts.map((account) => {
    const countedInCapacity = !seen.has(account.selector.accountKey)
    seen.add(account.selector.accountKey)
    return countedInCapacity === account.countedInCapacity
      ? account
      : { ...account, countedInCapacity }
  })
}
