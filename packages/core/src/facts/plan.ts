/** A plan by its normalised name: one of the known ones, or whatever the vendor calls it. */
export type PlanKind = string

interface Plan {
  /** Plus units per full window. 0 = untracked: routable, but no part of the pool's capacity. See docs/rules.md#plans-and-capacity-weight. */
  readonly capacityWeight: number
  readonly aliases?: readonly string[]
}

/** Every plan we know by name. A new plan is one row here. */
const PLANS: Readonly<Record<string, Plan>> = {
  plus: { capacityWeight: 1 },
  team: { capacityWeight: 1 },
  prolite: { capacityWeight: 5, aliases: ['pro5x'] },
  pro: { capacityWeight: 20, aliases: ['pro20x'] },
  free: { capacityWeight: 0 },
  go: { capacityWeight: 0 },
  business: { capacityWeight: 0 },
  enterprise: { capacityWeight: 0 },
  edu: { capacityWeight: 0, aliases: ['education'] },
  unknown: { capacityWeight: 0 },
}

const planByName = new Map(
  Object.entries(PLANS).flatMap(([kind, plan]) => [
    [kind, kind] as const,
    ...(plan.aliases ?? []).map((alias) => [alias, kind] as const),
  ]),
)

/** The names of all plans with a row of their own, `unknown` last. */
export const knownPlanKinds: readonly PlanKind[] = Object.keys(PLANS)

/** Longest plan name kept; a longer one is not a plan name. */
const PLAN_NAME_LENGTH_MAX = 64

/** Normalises a plan name (case, `_`, `-` and spaces do not count); `unknown` for none. Other names pass through. */
export function planKindOf(name: string | null): PlanKind {
  const normalised = (name ?? '').toLowerCase().replace(/[\s_-]/g, '')
  if (normalised === '' || normalised.length > PLAN_NAME_LENGTH_MAX) return 'unknown'
  return planByName.get(normalised) ?? normalised
}

/** Plus units of a full window of this plan; 0 for an untracked one. */
export function capacityWeightOf(plan: PlanKind): number {
  return planRow(plan)?.capacityWeight ?? 0
}

/** The plan's name as shown, as in `Prolite`. */
export function planLabel(plan: PlanKind): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1)
}

/** A plan comes from the vendor, so it may be called `constructor`. */
function planRow(plan: PlanKind): Plan | undefined {
  return Object.hasOwn(PLANS, plan) ? PLANS[plan] : undefined
}
