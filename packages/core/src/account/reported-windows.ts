import type { Account } from '../facts/account.ts'
import { type AccountEvidence, allSamplesOf } from '../facts/account-evidence.ts'
import { providerRow, providerRowOf } from '../facts/provider.ts'
import { isMainWindow } from '../facts/window.ts'
import { provenAtOf } from './lasting-verdict.ts'
import { newestDirectSample, newestSample } from './merge-evidence.ts'
import { percentOf, type QuotaWindow } from './quota-window.ts'

/**
 * Windows corrected for values that the vendor omits: a zero that requests contradict is unknown. A window that the vendor does not report is
 * absent if another window of the account is known and accounts of the provider differ in their windows; otherwise it is marked.
 */
export function reportedWindows(
  windows: readonly QuotaWindow[],
  account: Account,
  evidence: AccountEvidence | null,
): readonly QuotaWindow[] {
  if (windows.every(({ state, note }) => state !== 'unknown' && note !== 'derived')) return windows
  const isSilent = isNotReported(account, evidence)
  const { furtherWindows } = providerRowOf(account.provider)
  const other = windows.find((window) => isMainWindow(window.id) && percentOf(window) !== null)
  return windows.map((window): QuotaWindow => {
    const { id, periodSeconds } = window
    if (isSilent && window.state === 'unknown') {
      if (furtherWindows.length === 0 || other === undefined || other.state === 'unknown')
        return { ...window, reported: false }
      const { sampledAt, origin, stale } = other
      return { id, periodSeconds, state: 'absent', sampledAt, origin, stale }
    }
    return isDenied(window, account) ? { id, periodSeconds, state: 'unknown' } : window
  })
}

/** Whether the vendor reports no quota for this account, or cannot be queried. */
function isNotReported({ provider }: Account, evidence: AccountEvidence | null): boolean {
  const samples = allSamplesOf(evidence)
  const direct = newestDirectSample(samples)
  if (evidence?.probeFailure?.kind === 'unavailable') return true
  if (direct !== null) return direct.reportsNone === true
  return providerRow(provider) === undefined && newestSample(samples) === null
}

/** Whether a request has succeeded in the period for which the vendor omitted the use. */
function isDenied(window: QuotaWindow, account: Account): boolean {
  if (window.note !== 'derived' || window.state !== 'known') return false
  const { resetAt, periodSeconds, sampledAt } = window
  const provenAt = provenAtOf(account)
  if (provenAt === null) return false
  const beganAt =
    resetAt === null || periodSeconds === null ? sampledAt : resetAt - periodSeconds * 1000
  return provenAt > beganAt
}
