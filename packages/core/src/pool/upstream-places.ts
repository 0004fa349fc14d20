import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import type { UpstreamStanding } from './evaluated-pool.ts'

type Place = Pick<EvaluatedAccount, 'account' | 'selector'>

/** Names of the proxies that list each account, in alphabetical order, by accountKey. */
export function upstreamsByAccountKey(
  accounts: readonly Place[],
): ReadonlyMap<string, readonly UpstreamName[]> {
  const names = new Map<string, Set<UpstreamName>>()
  for (const { account, selector } of accounts) {
    const known = names.get(selector.accountKey)
    if (known === undefined) names.set(selector.accountKey, new Set([account.upstream]))
    else known.add(account.upstream)
  }
  return new Map([...names].map(([key, found]) => [key, [...found].sort()]))
}

/**
 * The files that count: if several proxies list an account, only its files at the proxy of its best file. Two files at one proxy are two
 * logins and both count. `ranked` is best first.
 */
export function uniqueAccounts<Ranked extends Place>(ranked: readonly Ranked[]): readonly Ranked[] {
  const upstreamByKey = new Map<string, UpstreamName>()
  return ranked.filter(({ account, selector }) => {
    const counted = upstreamByKey.get(selector.accountKey) ?? account.upstream
    upstreamByKey.set(selector.accountKey, counted)
    return counted === account.upstream
  })
}

export type UncountedStanding = Omit<UpstreamStanding, 'fileCount' | 'routableCount'>

/** Adds to each proxy the number of files it lists, and the number that may be used. */
export function countedAt(
  standings: readonly UncountedStanding[],
  accounts: readonly Pick<EvaluatedAccount, 'account' | 'routable'>[],
): readonly UpstreamStanding[] {
  const counted = standings.map((standing) => ({ ...standing, fileCount: 0, routableCount: 0 }))
  const byName = new Map(counted.map((standing) => [standing.name, standing]))
  for (const { account, routable } of accounts) {
    const standing = byName.get(account.upstream)
    if (standing === undefined) continue
    standing.fileCount += 1
    if (routable) standing.routableCount += 1
  }
  return counted
}
