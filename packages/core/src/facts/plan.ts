import {
  ASSUMED_PROVIDER,
  type PlanRow,
  type ProviderId,
  providerIds,
  providerRow,
  providerRowOf,
} from './provider.ts'

/** Normalised name of a plan: a known one, or the vendor's own name. */
export type PlanKind = string

/** A plan with its provider, because vendors use the same names, such as `plus`, for different plans. */
interface PlanOfProvider {
  /** Codex if omitted. */
  readonly provider?: ProviderId
  readonly plan: PlanKind
}

const UNKNOWN: PlanKind = 'unknown'

/** Names of all plans listed for a provider; `unknown` last. */
export function planKindsOf(provider: ProviderId): readonly PlanKind[] {
  return [...Object.keys(providerRowOf(provider).plans), UNKNOWN]
}

/** Names of all plans listed for any provider. */
export const knownPlanKinds: readonly PlanKind[] = [...new Set(providerIds.flatMap(planKindsOf))]

/** Longest text accepted as a plan name. */
const PLAN_NAME_LENGTH_MAX = 64

/**
 * Normalises a provider's plan name: ignores case, `_`, `-` and spaces, and resolves aliases. `unknown` for a missing or too long name; unlisted
 * names are kept. A bare name counts as a plan of Codex.
 */
export function planKindOf(
  named: string | null | { readonly provider?: ProviderId; readonly name: string | null },
): PlanKind {
  const { provider = ASSUMED_PROVIDER, name } =
    typeof named === 'object' && named !== null ? named : { name: named }
  const normalised = (name ?? '').toLowerCase().replace(/[\s_-]/g, '')
  if (normalised === '' || normalised.length > PLAN_NAME_LENGTH_MAX) return UNKNOWN
  return planByAlias.get(provider)?.get(normalised) ?? normalised
}

const planByAlias: ReadonlyMap<ProviderId, ReadonlyMap<string, PlanKind>> = new Map(
  providerIds.map((provider) => [provider, aliasesOf(provider)]),
)

function aliasesOf(provider: ProviderId): ReadonlyMap<string, PlanKind> {
  const rows = Object.entries(providerRowOf(provider).plans)
  return new Map(rows.flatMap(([kind, { aliases = [] }]) => aliases.map((alias) => [alias, kind])))
}

/** Size of a full window of this plan in its provider's units; 0 for an untracked plan. A bare name counts as a plan of Codex. */
export function capacityWeightOf(planned: PlanKind | PlanOfProvider): number {
  const of = typeof planned === 'string' ? { plan: planned } : planned
  return (
    planRow(of)?.capacityWeight ?? providerRowOf(of.provider ?? ASSUMED_PROVIDER).otherPlansWeight
  )
}

export function largestWeightOf(provider: ProviderId = ASSUMED_PROVIDER): number {
  return largestWeights.get(provider) ?? providerRowOf(provider).otherPlansWeight
}

// Worked out once, because scores need it of every account.
const largestWeights: ReadonlyMap<ProviderId, number> = new Map(
  providerIds.map((provider) => {
    const { plans, otherPlansWeight } = providerRowOf(provider)
    const weights = Object.values(plans).map((row) => row.capacityWeight)
    return [provider, Math.max(otherPlansWeight, ...weights)]
  }),
)

/** False for an unlisted plan of a provider whose plans differ in size. `unknown`, the plan of an account that states none, counts as known. */
export function isKnownPlan(planned: PlanOfProvider): boolean {
  const { otherPlansWeight } = providerRowOf(planned.provider ?? ASSUMED_PROVIDER)
  return planned.plan === UNKNOWN || otherPlansWeight > 0 || planRow(planned) !== undefined
}

/**
 * Display name of a plan, such as `Prolite` or `Max 5x`. `named`: the vendor's name, whose word breaks are used for an unlisted plan; omitted or null
 * if unknown.
 */
export function planLabel(plan: PlanKind, named: string | null = null): string {
  const label = labelByPlan.get(plan)
  if (label !== undefined) return label
  const titled = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
  if (named === null || listedPlans.has(plan)) return titled(plan)
  const words = named.toLowerCase().split(/[\s_-]+/)
  if (words.join('') !== plan) return titled(plan)
  return words.map(titled).join(' ').trim()
}

const listedPlans: ReadonlySet<PlanKind> = new Set(knownPlanKinds)

const labelByPlan: ReadonlyMap<PlanKind, string> = new Map(
  providerIds.flatMap((provider) =>
    Object.entries(providerRowOf(provider).plans).flatMap(([plan, { label }]) =>
      label === undefined ? [] : [[plan, label] as const],
    ),
  ),
)

/**
 * The row of a plan; undefined if it is not listed. The name comes from the vendor, so it may be a property of every object, such as `constructor`.
 */
function planRow({ provider = ASSUMED_PROVIDER, plan }: PlanOfProvider): PlanRow | undefined {
  const plans = providerRow(provider)?.plans
  return plans !== undefined && Object.hasOwn(plans, plan) ? plans[plan] : undefined
}
