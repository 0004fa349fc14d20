import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import type { UpstreamStanding } from './evaluated-pool.ts'

type Place = Pick<EvaluatedAccount, 'account' | 'selector'>

/** The names of the proxies that list each account, in their alphabetical order, by accountKey. */
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

/** How a proxy stands, before its files are counted. */
export type UncountedStanding = Omit<UpstreamStanding, 'fileCount' | 'routableCount'>

/** The same with how many files each proxy lists, and how many of them may be used. */
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
