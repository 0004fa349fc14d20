import { authFaultOf } from '../account/blocked-reasons.ts'
import { newestDirectSample } from '../account/merge-evidence.ts'
import type { Account } from '../facts/account.ts'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import type { EpochMs } from '../facts/time.ts'
import { fileKeyOf } from '../facts/upstream.ts'

/** One proxy through which the vendor can be queried. */
export interface UpstreamWay {
  readonly accounts: readonly Account[]
  /** Whether the proxy can forward queries: it answers and accepts our key. */
  readonly isHealthy: boolean
  /** Evidence read through this proxy, by `fileKeyOf`. */
  readonly evidence: ReadonlyMap<string, AccountEvidence>
}

/**
 * The auth files with which to query the vendor next. Each account is queried through only one proxy, so that several proxies do not multiply the
 * queries. Preference: a healthy proxy, then a login that may work, then the proxy with the oldest last query, so that each login is tested in turn,
 * then list order. Files of disabled accounts are queried only on an operator's request, and are chosen separately.
 */
export function filesAskedThrough(ways: readonly UpstreamWay[], now: EpochMs): ReadonlySet<string> {
  const chosen = new Map<string, { readonly wayIndex: number; readonly turn: Turn }>()
  for (const [wayIndex, way] of ways.entries()) {
    for (const account of way.accounts) {
      const turn = turnOf(account, way, now)
      const best = chosen.get(choiceKey(account))
      if (best === undefined || isBefore(turn, best.turn))
        chosen.set(choiceKey(account), { wayIndex, turn })
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

/** Preference for a file: the lowest rank is queried first, and among equal ranks the oldest query. */
interface Turn {
  readonly rank: number
  readonly askedAt: number
}

function isBefore(one: Turn, other: Turn): boolean {
  return one.rank < other.rank || (one.rank === other.rank && one.askedAt < other.askedAt)
}

function turnOf(account: Account, { isHealthy, evidence }: UpstreamWay, now: EpochMs): Turn {
  const known = evidence.get(fileKeyOf(account)) ?? null
  // A single refusal proves nothing until the same login confirms it.
  const isToConfirm = known?.refusedLogin?.inARow === 1
  const rank =
    (isHealthy ? 0 : 4) +
    (authFaultOf(account, known, now) === null ? 0 : 2) +
    (isToConfirm ? 0 : 1)
  return { rank, askedAt: known === null ? NEVER : (lastAskedAt(known) ?? NEVER) }
}

const NEVER = Number.NEGATIVE_INFINITY

/** Time at which the last direct query of the account was answered or failed; null if there was none. */
export function lastAskedAt({ samples, probeFailure }: AccountEvidence): number | null {
  const times = [newestDirectSample(samples)?.sampledAt, probeFailure?.at].filter(
    (at) => at !== undefined,
  )
  return times.length === 0 ? null : Math.max(...times)
}
