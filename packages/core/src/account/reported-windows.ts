import type { Account } from '../facts/account.ts'
import { type AccountEvidence, allSamplesOf } from '../facts/account-evidence.ts'
import { providerRow } from '../facts/provider.ts'
import { provenAtOf } from './lasting-verdict.ts'
import { newestDirectSample, newestSample } from './merge-evidence.ts'
import type { QuotaWindow } from './quota-window.ts'

/** The windows of an account without figures that its vendor did not report: a zero it left out but requests deny, and windows it has no figure for. */
export function reportedWindows(
  windows: readonly QuotaWindow[],
  account: Account,
  evidence: AccountEvidence | null,
): readonly QuotaWindow[] {
  const isSilent = isNotReported(account, evidence)
  if (!isSilent && windows.every(({ note }) => note !== 'derived')) return windows
  return windows.map((window): QuotaWindow => {
    const { id, periodSeconds } = window
    if (isSilent && window.state === 'unknown') return { ...window, reported: false }
    return isDenied(window, account) ? { id, periodSeconds, state: 'unknown' } : window
  })
}

/** Whether the vendor reports no quota of this account, or nobody can ask it. */
function isNotReported({ provider }: Account, evidence: AccountEvidence | null): boolean {
  const samples = allSamplesOf(evidence)
  const direct = newestDirectSample(samples)
  if (evidence?.probeFailure?.kind === 'unavailable') return true
  if (direct !== null) return direct.reportsNone === true
  return providerRow(provider) === undefined && newestSample(samples) === null
}

/** Whether a request has succeeded in the period of which the vendor left the use out. */
function isDenied(window: QuotaWindow, account: Account): boolean {
  if (window.note !== 'derived' || window.state !== 'known') return false
  const { resetAt, periodSeconds, sampledAt } = window
  const provenAt = provenAtOf(account)
  if (provenAt === null) return false
  const beganAt =
    resetAt === null || periodSeconds === null ? sampledAt : resetAt - periodSeconds * 1000
  return provenAt > beganAt
}
