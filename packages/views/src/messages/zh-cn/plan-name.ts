import { type PlanKind, planLabel } from '@svc/core'

/** The name of a plan, which is a product name and stays as it is; that none is known is said in Chinese. */
export function planName(plan: PlanKind): string {
  return plan === 'unknown' ? '未知' : planLabel(plan)
}
