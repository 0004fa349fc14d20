import { type Account, type AccountEvidence, type EpochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { conditionFieldsAt } from './condition.ts'
import type { ExampleRow } from './example-row.ts'
import { latestTick } from './moving-windows.ts'
import { lastSuccessIn, requestSlotsAt } from './request-slots.ts'
import { evidenceAt, windowPhaseMs } from './sampling.ts'

const DAY_MS = 24 * 3_600_000

export interface ExampleAccount {
  readonly account: Account
  /** Null when the account was never queried. */
  readonly evidence: AccountEvidence | null
}

/** A row of the pool as it stands at `now`; the proxy listed it at `observedAt`. */
export function exampleAccountAt(
  row: ExampleRow,
  { now, observedAt }: { readonly now: EpochMs; readonly observedAt: EpochMs },
): ExampleAccount {
  const phaseMs = windowPhaseMs(row)
  const evidence = evidenceAt(row, now)
  // The list and the newest sample speak of the same cycle of a window.
  const cycleAt = evidence?.samples[0]?.sampledAt ?? observedAt
  const fields = conditionFieldsAt(row.condition, {
    windows: row.windows,
    observedAt,
    cycleAt,
    phaseMs,
  })
  // What a message says, ended the work; a degraded account goes on with its other models.
  const until =
    row.condition === 'degraded' || fields.messageAt === null ? observedAt : fields.messageAt
  const recentRequests = requestSlotsAt(observedAt, {
    requestsPerSlot: row.requestsPerSlot,
    failedRatio: row.failedRatio ?? 0,
    phaseMs,
    until,
  })

  return {
    account: {
      provider: 'codex',
      upstream: DEFAULT_UPSTREAM,
      selector: { authName: row.authName, authIndex: row.authIndex, accountKey: row.accountKey },
      title: row.title,
      email: null,
      vendorAccountId: null,
      claimedPlan: row.claimedPlan ?? row.plan,
      subscribedUntil: subscribedUntil(row, observedAt, phaseMs),
      ...fields,
      modifiedAt: latestTick(plusMs(observedAt, -2 * DAY_MS), DAY_MS, phaseMs),
      lastSuccessAt: lastSuccessIn(recentRequests, until),
      recentRequests,
    },
    evidence,
  }
}

/** Plans that a person pays for by the month. */
const MONTHLY_PLANS: ReadonlySet<string | null> = new Set(['plus', 'pro', 'prolite', 'go', 'team'])
const MONTH_MS = 30 * DAY_MS

/** When the month that is paid for ends; that of a deactivated account ended a while ago. */
function subscribedUntil(row: ExampleRow, at: EpochMs, phaseMs: number): EpochMs | null {
  if (!MONTHLY_PLANS.has(row.plan)) return null
  if (row.condition === 'deactivated') return plusMs(latestTick(at, DAY_MS, phaseMs), -9 * DAY_MS)
  // The phases of windows lie within hours, which would end every month on one day.
  const spread = (Number.parseInt(row.accountKey.slice(0, 4), 16) % 30) * DAY_MS
  return plusMs(latestTick(at, MONTH_MS, phaseMs + spread), MONTH_MS)
}
