import type { QuotaSample } from '@svc/core'
import { newestDirectSample } from '@svc/core/service'
import type { AccountActivity } from '@svc/core/usage'
import { evidenceWithPassive, showsAllWindowsOf } from './evidence-after.ts'
import { note, type WatchedAccount } from './watched-accounts.ts'

/**
 * Takes quota from the answers to client requests; a fresh value of every window replaces the next query. Returns the accounts with new evidence.
 * `nowMs` is monotonic.
 */
export function takePassiveQuota(
  accounts: Iterable<WatchedAccount>,
  activity: readonly AccountActivity[],
  nowMs: number,
): readonly WatchedAccount[] {
  const sampleByKey = new Map<string, QuotaSample>()
  for (const { accountKey, sample } of activity) {
    const known = sampleByKey.get(accountKey)
    if (sample !== null && (known === undefined || sample.sampledAt > known.sampledAt))
      sampleByKey.set(accountKey, sample)
  }
  if (sampleByKey.size === 0) return []
  return [...accounts].filter((watched) => {
    const sample = sampleByKey.get(watched.account.selector.accountKey)
    const evidence = sample === undefined ? null : evidenceWithPassive(watched.evidence, sample)
    if (sample === undefined || evidence === null) return false
    const replacesQuery = showsAllWindowsOf(newestDirectSample(watched.evidence.samples), sample)
    watched.evidence = evidence
    if (watched.quotaClass === 'primary' && !watched.querying && replacesQuery)
      note(watched, { kind: 'headers_replace_query', atMs: nowMs })
    return true
  })
}
