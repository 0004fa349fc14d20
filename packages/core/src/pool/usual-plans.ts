import { planOf } from '../account/account-plan.ts'
import type { Account } from '../facts/account.ts'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import { capacityWeightOf, type PlanKind, planKindOf } from '../facts/plan.ts'
import { type ProviderId, providerRowOf } from '../facts/provider.ts'

const UNKNOWN = planKindOf(null)

/**
 * The plan that most accounts of a provider have, where plans differ in size; of two as common the smaller one. Providers without a known plan are left out.
 */
export function usualPlansOf(
  accounts: readonly Account[],
  evidenceOf: (account: Account) => AccountEvidence | null,
): ReadonlyMap<ProviderId, PlanKind> {
  const counts = new Map<ProviderId, Map<PlanKind, number>>()
  for (const account of accounts) {
    const { provider } = account
    if (providerRowOf(provider).otherPlansWeight > 0) continue
    const plan = planOf(account, evidenceOf(account))
    const ofIt = counts.get(provider) ?? new Map<PlanKind, number>()
    if (plan !== UNKNOWN) counts.set(provider, ofIt.set(plan, (ofIt.get(plan) ?? 0) + 1))
  }
  const usualOf = (provider: ProviderId, ofIt: ReadonlyMap<PlanKind, number>) => {
    const weight = (plan: PlanKind) => capacityWeightOf({ provider, plan })
    const byCount = [...ofIt].sort(
      ([a, countA], [b, countB]) => countB - countA || weight(a) - weight(b) || (a < b ? -1 : 1),
    )
    return byCount.slice(0, 1).map(([plan]) => [provider, plan] as const)
  }
  return new Map([...counts].flatMap(([provider, ofIt]) => usualOf(provider, ofIt)))
}
