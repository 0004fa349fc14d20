import { type AccountEvidence, DAY_MS, type EpochMs } from '@svc/core'
import { newestDirectSample } from '@svc/core/account'
import { allSamplesOf, lastInstant, providerRowOf } from '@svc/core/service'
import type { AskedVendor, PlanQuery } from '../providers/contract/provider.ts'
import { showsAllWindowsOf, showsMainWindows } from './evidence-after.ts'
import type { ScheduledFacts } from './schedule.ts'

/** Pause for an account to whose login the vendor offers no quota. */
const UNAVAILABLE_MS = DAY_MS

/**
 * Time from which the account may be queried by anyone, in monotonic milliseconds; -Infinity for any time. It follows from the stored evidence, so a
 * restart does not change it. See docs/rules.md#asking-politely.
 */
export function askableAtMs(
  { account, evidence, times }: ScheduledFacts,
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
 * Time from which the plan may be queried separately, in monotonic milliseconds, once the quota has been read by a query or from headers. Infinity if
 * no plan query is needed or the last query failed.
 */
export function planAskableAtMs(
  { evidence, times }: ScheduledFacts,
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

/** Time of the newest headers that show as much as a query would; null if there are none. */
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
  return lastInstant(times)
}
