import type { Account } from '../facts/account.ts'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import { fileKeyOf } from '../facts/upstream.ts'

/** One proxy as a way to the vendor. */
export interface UpstreamWay {
  readonly accounts: readonly Account[]
  /** Whether queries can go out through it: it answers, and lets us in. */
  readonly isHealthy: boolean
  /** By `fileKeyOf`. */
  readonly evidence: ReadonlyMap<string, AccountEvidence>
}

/** A login that was refused so often in a row is one. See docs/rules.md#refused-logins. */
const REFUSED_LOGINS_MIN = 2

/**
 * The files that are asked about at the vendor: those of one proxy for each account, so that several proxies do not mean several queries. A healthy proxy
 * goes before one that is not, and a working login before a refused one; of equals the proxy that was asked `before`, else the first. Files of disabled
 * accounts are asked about only when an operator wants to know, and are chosen apart.
 */
export function filesAskedThrough(
  ways: readonly UpstreamWay[],
  before: ReadonlySet<string>,
): ReadonlySet<string> {
  const chosen = new Map<string, { readonly wayIndex: number; readonly rank: number }>()
  for (const [wayIndex, way] of ways.entries()) {
    for (const account of way.accounts) {
      const rank = rankOf(account, way) - (before.has(fileKeyOf(account)) ? 0.5 : 0)
      const best = chosen.get(choiceKey(account))
      if (best === undefined || rank < best.rank) chosen.set(choiceKey(account), { wayIndex, rank })
    }
  }
  const files = new Set<string>()
  for (const [wayIndex, { accounts }] of ways.entries())
    for (const account of accounts)
      if (chosen.get(choiceKey(account))?.wayIndex === wayIndex) files.add(fileKeyOf(account))
  return files
}

function choiceKey({ operatorDisabled, selector }: Account): string {
  return `${operatorDisabled} ${selector.accountKey}`
}

/** The lowest is asked through. */
function rankOf(account: Account, { isHealthy, evidence }: UpstreamWay): number {
  const known = evidence.get(fileKeyOf(account)) ?? null
  const isRefused =
    account.message.kind === 'auth_fault' ||
    (known?.refusedLogin?.inARow ?? 0) >= REFUSED_LOGINS_MIN
  return (isHealthy ? 0 : 2) + (isRefused ? 1 : 0)
}
