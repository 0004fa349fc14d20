import type { EpochMs } from '../facts/time.ts'
import type { EvaluatedAccount } from './evaluated-account.ts'

/** Models that an account cannot serve although it may be used for others. */
export interface BlockedModels {
  /** Scope of the used-up window, as in its id. */
  readonly scope: string
  /** The vendor's name for the scope; null if it has none. */
  readonly label: string | null
  /** Null if the vendor names none. */
  readonly models: readonly string[] | null
  /** Reset of the window; null if unknown. */
  readonly until: EpochMs | null
  readonly reason: `quota_exhausted_${string}`
}

/** Paid use beyond the plan: without it the plan's models can still be used. */
const EXTRA_USAGE = 'extra_usage'

/** The models whose window of another scope is used up. */
export function blockedModelsOf({
  scopedWindows,
}: Pick<EvaluatedAccount, 'scopedWindows'>): readonly BlockedModels[] {
  return scopedWindows.flatMap((window) => {
    const scope = window.id.slice(0, window.id.lastIndexOf(':'))
    if (window.state !== 'exhausted' || scope === EXTRA_USAGE) return []
    const { label = null, models = null, resetAt: until } = window
    return [{ scope, label, models, until, reason: `quota_exhausted_${window.id}` as const }]
  })
}
