import { type PlanKind, planLabel } from '@svc/core'

/** The name of a plan: a product name that is not translated, or a Chinese text if the plan is unknown. */
export function planName(plan: PlanKind, named?: string | null): string {
  return plan === 'unknown' ? '未知' : planLabel(plan, named)
}
