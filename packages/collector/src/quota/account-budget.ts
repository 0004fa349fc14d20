import { type Account, type AccountEvidence, DAY_MS, type EpochMs } from '@svc/core'
import { newestDirectSample } from '@svc/core/account'
import { allSamplesOf, providerRowOf } from '@svc/core/service'
import type { AskedVendor, PlanQuery } from '../providers/contract/provider.ts'
import { showsAllWindowsOf, showsMainWindows } from './evidence-after.ts'
import type { QueryTimes } from './schedule.ts'

/** Time for which an account is left alone whose vendor offers no quota to its login. */
const UNAVAILABLE_MS = DAY_MS

/** Facts that decide when an account may be queried again. */
export interface BudgetedAccount {
  readonly account: Account
  readonly evidence: AccountEvidence
  readonly times: QueryTimes
}

/**
 * Time from which the account may be queried, in monotonic milliseconds, whoever wants it; -Infinity: at any time. It follows from the evidence, which
 * is stored, so a restart changes nothing. See docs/rules.md#asking-politely.
 */
export function askableAtMs(
  { account, evidence, times }: BudgetedAccount,
  { politeness: { budget } }: Pick<AskedVendor, 'politeness'>,
  { now, nowMs }: { readonly now: EpochMs; readonly nowMs: number },
): number {
  const since = (at: EpochMs, milliseconds: number) =>
    // A time after the present one comes from a clock that was wrong.
    nowMs - Math.max(0, now - at) + milliseconds
  const untilRewritten = (at: EpochMs, milliseconds: number) =>
    account.modifiedAt !== null && account.modifiedAt > at
      ? Number.NEGATIVE_INFINITY
      : since(at, milliseconds)

  let earliestMs = Number.NEGATIVE_INFINITY
  const { probeFailure, refusedLogin } = evidence
  if (probeFailure?.kind === 'unavailable')
    earliestMs =
      budget?.unavailableSeconds === undefined
        ? untilRewritten(probeFailure.at, UNAVAILABLE_MS)
        : since(probeFailure.at, budget.unavailableSeconds * 1000)
  const { refusalsApartMs } = providerRowOf(account.provider)
  if (refusedLogin !== null && refusalsApartMs > 0) {
    const { firstAt = refusedLogin.lastAt } = refusedLogin
    earliestMs = Math.max(earliestMs, untilRewritten(firstAt, refusalsApartMs))
  }
  if (budget === null) return earliestMs

  const everyMs = budget.perAccountSeconds * 1000
  const passiveAt = newestPassiveAt(evidence)
  return Math.max(
    earliestMs,
    times.firstRoundAtMs,
    times.sentAtMs === null ? Number.NEGATIVE_INFINITY : times.sentAtMs + everyMs,
    passiveAt === null ? Number.NEGATIVE_INFINITY : since(passiveAt, everyMs),
  )
}

/**
 * Time from which the plan may be asked for by a query of its own, in monotonic milliseconds: once the quota is read, by a query or by headers. Infinity
 * while it need not be asked for, or the last query failed.
 */
export function planAskableAtMs(
  { evidence, times }: BudgetedAccount,
  { politeness: { budget }, planQuery }: Pick<AskedVendor, 'politeness' | 'planQuery'>,
  { now, nowMs }: { readonly now: EpochMs; readonly nowMs: number },
): number {
  const read = newestDirectSample(evidence.samples)?.sampledAt ?? 0
  const readAgoMs = now - Math.max(read, newestPassiveAt(evidence) ?? 0)
  const isRead =
    evidence.probeFailure === null && readAgoMs < (budget?.perAccountSeconds ?? 0) * 1000
  return isRead && isPlanDue(evidence, planQuery, now)
    ? Math.max(times.firstRoundAtMs, nowMs - Math.max(0, readAgoMs))
    : Number.POSITIVE_INFINITY
}

function isPlanDue(
  { vendorPlan }: AccountEvidence,
  planQuery: PlanQuery | undefined,
  now: EpochMs,
): boolean {
  if (planQuery === undefined) return false
  return vendorPlan === undefined || now - vendorPlan.askedAt >= planQuery.everySeconds * 1000
}

/** Time of the newest reading of headers that shows as much as a query would; null without one. */
function newestPassiveAt(evidence: AccountEvidence): EpochMs | null {
  const samples = allSamplesOf(evidence)
  const direct = newestDirectSample(samples)
  const times = samples
    .filter(
      (sample) =>
        sample.origin === 'headers' &&
        (direct === null ? showsMainWindows(sample) : showsAllWindowsOf(direct, sample)),
    )
    .map(({ sampledAt }) => sampledAt)
  return times.reduce<EpochMs | null>(
    (newest, at) => (newest === null || at > newest ? at : newest),
    null,
  )
}
