import type { Account } from '../facts/account.ts'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import type { ProviderId } from '../facts/provider.ts'
import type { EpochMs } from '../facts/time.ts'
import { DEFAULT_UPSTREAM, type UpstreamName } from '../facts/upstream.ts'
import type { Verdict } from '../facts/verdict.ts'

/** Last query of an account and its refusals, stored before a query goes out, so that neither a restart nor a crash forgets them. */
export interface AskedAccount {
  readonly upstream: UpstreamName
  readonly authName: string
  readonly accountKey: string
  readonly provider: ProviderId
  /** Last refusal by the list or a record; null without one. */
  readonly verdict: Verdict | null
  /** End of a wait that the vendor named for this account; null without one. */
  readonly waitUntil: EpochMs | null
  readonly evidence: AskedEvidence
}

/** The part of the evidence that decides when the vendor may be asked again. */
export type AskedEvidence = Pick<
  AccountEvidence,
  'probeFailure' | 'refusedLogin' | 'askedAt' | 'vendorPlan' | 'vendorPause'
>

/** The facts to store of an account. */
export function askedAccountOf(
  { selector, provider, upstream = DEFAULT_UPSTREAM, verdict = null }: Account,
  evidence: AccountEvidence,
  waitUntil: EpochMs | null,
): AskedAccount {
  const { probeFailure, refusedLogin, askedAt, vendorPlan, vendorPause } = evidence
  const { authName, accountKey } = selector
  return {
    ...{ upstream, authName, accountKey, provider, verdict, waitUntil },
    evidence: {
      ...{ probeFailure, refusedLogin },
      ...(askedAt === undefined ? {} : { askedAt }),
      ...(vendorPlan === undefined ? {} : { vendorPlan }),
      ...(vendorPause === undefined ? {} : { vendorPause }),
    },
  }
}

/** The evidence with the stored last query of the account, unless the evidence has a later one. */
export function evidenceWithAsked(current: AccountEvidence, asked: AskedEvidence): AccountEvidence {
  if (lastKnownAt(asked) < lastKnownAt(current)) return current
  const { vendorPause: _earlier, ...kept } = current
  return { ...kept, ...asked }
}

function lastKnownAt({ askedAt, probeFailure }: AskedEvidence): number {
  return Math.max(askedAt ?? 0, probeFailure?.at ?? 0)
}
