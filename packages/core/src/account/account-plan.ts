import { newestSample } from '../quota/merge-evidence.ts'
import type { AccountEvidence } from '../snapshot/observation.ts'
import type { Account } from './account.ts'
import { type PlanKind, planKindOf } from './plan.ts'

/** The plan of an account: from the newest direct sample that names one, else from its login token. */
export function planOf(account: Account, evidence: AccountEvidence | null): PlanKind {
  const named = (evidence?.samples ?? []).filter((sample) => sample.origin === 'direct' && sample.plan !== null)
  return planKindOf(newestSample(named)?.plan ?? account.claimedPlan)
}
