import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import type { EpochMs } from '../facts/time.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import { perWindow } from '../facts/window.ts'
import { capacityOf } from './capacity.ts'
import type { EvaluatedPool } from './evaluated-pool.ts'
import { resetColumnsOf } from './reset-schedule.ts'

/** The files of one of several proxies as a separate pool, each account counted once; null for a proxy that is not watched. */
export function poolAtUpstream<Pool extends EvaluatedPool>(
  pool: Pool,
  name: UpstreamName,
): Pool | null {
  const standing = pool.upstreams?.find((one) => one.name === name)
  if (standing === undefined) return null
  const accounts = pool.accounts.filter(({ account }) => account.upstream === name)
  return {
    ...poolPart(pool, accounts),
    source: standing.source,
    available: standing.available,
    sampledAt: standing.sampledAt,
    gatewayUp: standing.gatewayUp,
    upstreamVersion: standing.version,
    clockSkewSeconds: standing.clockSkewSeconds,
    skipped: standing.skipped,
    otherProviders: standing.otherProviders,
  }
}

/** Some accounts of a pool, in its order, as a separate pool. */
export function poolPart<Pool extends EvaluatedPool>(
  pool: Pool,
  part: readonly EvaluatedAccount[],
): Pool {
  const accounts = countedHere(part)
  const routableCount = accounts.filter(({ routable }) => routable).length
  return {
    ...pool,
    accounts,
    routableCount,
    blockedCount: accounts.length - routableCount,
    topScore: accounts[0]?.score ?? 0,
    nextRoutableAt: earliest(accounts.map(({ status }) => status.until)),
    capacity: perWindow(({ id }) => capacityOf(accounts, id)),
    resetColumns: resetColumnsOf(accounts, pool.evaluatedAt),
  }
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

function earliest(instants: readonly (EpochMs | null)[]): EpochMs | null {
  return instants.reduce<EpochMs | null>(
    (first, at) => (at !== null && (first === null || at < first) ? at : first),
    null,
  )
}
