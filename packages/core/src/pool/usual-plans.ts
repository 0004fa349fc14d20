import { isPlanUnasked, planOf } from '../account/account-plan.ts'
import type { Account } from '../facts/account.ts'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import { capacityWeightOf, type PlanKind, planKindOf } from '../facts/plan.ts'
import { type ProviderId, providerRowOf } from '../facts/provider.ts'

const UNKNOWN = planKindOf(null)

/**
 * The plan that most accounts of a provider have, where the plan of some was never asked for and plans differ in size; of two as common the smaller one.
 * Providers without a known plan are left out.
 */
export function usualPlansOf(
  accounts: readonly Account[],
  evidenceOf: (account: Account) => AccountEvidence | null,
): ReadonlyMap<ProviderId, PlanKind> {
  const counts = new Map<ProviderId, Map<PlanKind, number>>()
  const unasked = new Set<ProviderId>()
  for (const account of accounts) {
    const { provider } = account
    if (providerRowOf(provider).otherPlansWeight > 0) continue
    const plan = planOf(account, evidenceOf(account))
    const ofIt = counts.get(provider) ?? new Map<PlanKind, number>()
    counts.set(provider, ofIt)
    if (plan !== UNKNOWN) ofIt.set(plan, (ofIt.get(plan) ?? 0) + 1)
    else if (isPlanUnasked(account, evidenceOf(account))) unasked.add(provider)
  }
  return new Map(
    [...unasked].flatMap((provider) => {
      const weight = (plan: PlanKind) => capacityWeightOf({ provider, plan })
      const [usual] = [...(counts.get(provider) ?? [])].sort(
        ([a, countA], [b, countB]) => countB - countA || weight(a) - weight(b) || (a < b ? -1 : 1),
      )
      return usual === undefined ? [] : [[provider, usual[0]]]
    }),
  )
}
