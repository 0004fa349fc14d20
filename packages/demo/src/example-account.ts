import { type Account, type AccountEvidence, DAY_MS, type EpochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { conditionFieldsAt } from './condition.ts'
import type { ExampleRow } from './example-row.ts'
import { latestTick } from './moving-windows.ts'
import { lastSuccessIn, requestSlotsAt } from './request-slots.ts'
import { evidenceAt, windowPhaseMs } from './sampling.ts'

export interface ExampleAccount {
  readonly account: Account
  /** Null if the account was never queried. */
  readonly evidence: AccountEvidence | null
}

/** An account of the pool at `now`, listed by the proxy at `observedAt`. */
export function exampleAccountAt(
  row: ExampleRow,
  { now, observedAt }: { readonly now: EpochMs; readonly observedAt: EpochMs },
): ExampleAccount {
  const phaseMs = windowPhaseMs(row)
  const evidence = evidenceAt(row, now)
  // List and newest sample must show the same cycle of a window.
  const cycleAt = evidence?.samples[0]?.sampledAt ?? observedAt
  const fields = conditionFieldsAt(row.condition, {
    windows: row.windows,
    observedAt,
    cycleAt,
    phaseMs,
  })
  // A fault ended the account's requests; only a degraded account goes on with its other models.
  const faultAt = fields.messageAt ?? fields.verdict?.at ?? null
  const until = row.condition === 'degraded' || faultAt === null ? observedAt : faultAt
  const recentRequests = requestSlotsAt(observedAt, {
    requestsPerSlot: row.requestsPerSlot,
    failedRatio: row.failedRatio ?? 0,
    phaseMs,
    until,
  })
  const { provider } = row

  return {
    account: {
      provider,
      upstream: DEFAULT_UPSTREAM,
      selector: { authName: row.authName, authIndex: row.authIndex, accountKey: row.accountKey },
      title: row.title,
      email: null,
      vendorAccountId: null,
      // Only the logins of Codex name a plan and its end.
      claimedPlan: provider === 'codex' ? (row.claimedPlan ?? row.plan) : null,
      subscribedUntil:
        provider === 'codex' ? subscribedUntil(row, observedAt, phaseMs) : null,
      ...fields,
      modifiedAt: latestTick(plusMs(observedAt, -2 * DAY_MS), DAY_MS, phaseMs),
      lastSuccessAt: lastSuccessIn(recentRequests, until),
      recentRequests,
    },
    evidence,
  }
}

const MONTHLY_PLANS: ReadonlySet<string | null> = new Set(['plus', 'pro', 'prolite', 'go', 'team'])
/** Days left of a paid month when it is renewed, and the days between two renewals; so nothing but `isPaidBriefly` ends within a week. */
const RENEWAL_DAYS = 8
const MONTH_MS = 22 * DAY_MS

/** End of the paid month; a deactivated account's month ended some days ago. Null for plans that are not paid by the month. */
function subscribedUntil(row: ExampleRow, at: EpochMs, phaseMs: number): EpochMs | null {
  if (!MONTHLY_PLANS.has(row.plan)) return null
  if (row.condition === 'deactivated') return plusMs(latestTick(at, DAY_MS, phaseMs), -9 * DAY_MS)
  if (row.isPaidBriefly) return plusMs(latestTick(at, DAY_MS, phaseMs), 4 * DAY_MS)
  // Phases of windows differ by hours only, so without this spread every month would end on the same day.
  const spread = (Number.parseInt(row.accountKey.slice(0, 4), 16) % 22) * DAY_MS
  return plusMs(latestTick(at, MONTH_MS, phaseMs + spread), MONTH_MS + RENEWAL_DAYS * DAY_MS)
}
