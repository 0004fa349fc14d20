import type { Account } from '../facts/account.ts'
import { type AccountEvidence, allSamplesOf } from '../facts/account-evidence.ts'
import { type PlanKind, planKindOf } from '../facts/plan.ts'
import { newestSample } from './merge-evidence.ts'

/** The plan of an account: from the newest direct sample that names one, else from a query for the plan alone, else from its login token. */
export function planOf(account: Account, evidence: AccountEvidence | null): PlanKind {
  const named = allSamplesOf(evidence).filter(
    (sample) => sample.origin === 'direct' && sample.plan !== null,
  )
  const name = newestSample(named)?.plan ?? evidence?.vendorPlan?.plan ?? account.claimedPlan
  return planKindOf({ provider: account.provider, name })
}
