import type { Account } from '../facts/account.ts'
import { type AccountEvidence, allSamplesOf } from '../facts/account-evidence.ts'
import { type PlanKind, planKindOf } from '../facts/plan.ts'
import { ASSUMED_PROVIDER } from '../facts/provider.ts'
import { newestDirectSample, newestSample } from './merge-evidence.ts'

/** The plan of an account: from the newest direct sample that states one, else from a query for the plan alone, else from its login token. */
export function planOf(account: Account, evidence: AccountEvidence | null): PlanKind {
  return planKindOf({ provider: account.provider, name: planNameOf(account, evidence) })
}

/** The vendor's name for the plan; null if unknown. */
export function planNameOf(account: Account, evidence: AccountEvidence | null): string | null {
  const named = allSamplesOf(evidence).filter(
    (sample) => sample.origin === 'direct' && sample.plan !== null,
  )
  return newestSample(named)?.plan ?? evidence?.vendorPlan?.plan ?? account.claimedPlan
}

/** Whether the vendor was never asked for the account's plan. Codex reports the plan with the quota, other vendors only in a separate query. */
export function isPlanUnasked({ provider }: Account, evidence: AccountEvidence | null): boolean {
  if (evidence?.vendorPlan !== undefined) return false
  return provider !== ASSUMED_PROVIDER || newestDirectSample(allSamplesOf(evidence)) === null
}
