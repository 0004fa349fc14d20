import type { EpochMs } from '../facts/time.ts'
import type { EvaluatedAccount } from './evaluated-account.ts'

/** Models that an account cannot serve although it may be used for others. */
export interface BlockedModels {
  /** Scope of the used-up window, as in its id. */
  readonly scope: string
  /** Null if the vendor names none. */
  readonly models: readonly string[] | null
  /** Reset of the window; null if unknown. */
  readonly until: EpochMs | null
  readonly reason: `quota_exhausted_${string}`
}

/** The models whose window of another scope is used up. */
export function blockedModelsOf({
  scopedWindows,
}: Pick<EvaluatedAccount, 'scopedWindows'>): readonly BlockedModels[] {
  return scopedWindows.flatMap((window) =>
    window.state !== 'exhausted'
      ? []
      : [
          {
            scope: window.id.slice(0, window.id.lastIndexOf(':')),
            models: window.models ?? null,
            until: window.resetAt,
            reason: `quota_exhausted_${window.id}` as const,
          },
        ],
  )
}
