import type { AccountEvidence, DisabledProbe, EpochMs, QuotaSample } from '@svc/core'
import { isMainWindow, type RefusedLogin } from '@svc/core/service'
import type { ProbeResult } from '../providers/contract/provider.ts'

/** Evidence of an account after a query. `isListedAgain`: the list was read since the vendor last refused the login, and still shows the account. */
export function evidenceAfter(
  evidence: AccountEvidence,
  result: ProbeResult,
  { now, isListedAgain }: { readonly now: EpochMs; readonly isListedAgain: boolean },
): AccountEvidence {
  if (result.kind === 'sample') {
    const samples = [
      ...evidence.samples.filter((sample) => sample.origin !== result.sample.origin),
      result.sample,
    ]
    return { ...evidence, samples, probeFailure: null, refusedLogin: null }
  }
  const { kind, httpStatus } = result
  const probeFailure = {
    at: now,
    kind,
    httpStatus,
    inARow: (evidence.probeFailure?.inARow ?? 0) + 1,
  }
  const refusedLogin =
    result.kind === 'auth'
      ? refusedAgain(evidence.refusedLogin, isListedAgain, now, result.httpStatus)
      : evidence.refusedLogin
  return { ...evidence, probeFailure, refusedLogin }
}

/** Counts another refusal only if the list was read in between. */
function refusedAgain(
  before: RefusedLogin | null,
  isListedAgain: boolean,
  lastAt: EpochMs,
  httpStatus: number,
): RefusedLogin {
  return {
    inARow: (before?.inARow ?? 1) + (before !== null && isListedAgain ? 1 : 0),
    ...(before !== null && { firstAt: before.firstAt ?? before.lastAt }),
    lastAt,
    httpStatus,
  }
}

/** Evidence with a sample from headers of client requests; null unless the sample is newer than the one of the same origin. */
export function evidenceWithPassive(
  evidence: AccountEvidence,
  sample: QuotaSample,
): AccountEvidence | null {
  const { samples } = evidence
  const known = samples.find(({ origin }) => origin === sample.origin)
  if (known !== undefined && known.sampledAt >= sample.sampledAt) return null
  return { ...evidence, samples: [...samples.filter((other) => other !== known), sample] }
}

/** Whether the headers already show every main window of the last direct sample, so that a query would add nothing. */
export function showsAllWindowsOf(direct: QuotaSample | null, passive: QuotaSample): boolean {
  if (direct === null) return false
  const shown = new Set(passive.windows.map(({ id }) => id))
  return direct.windows.every(({ id }) => !isMainWindow(id) || shown.has(id))
}

/** Result of a diagnostic query of a disabled account. */
export function disabledProbeOf(result: ProbeResult, probedAt: EpochMs): DisabledProbe {
  if (result.kind === 'sample') {
    const { sample } = result
    const isExhausted =
      sample.limitReached ||
      sample.spendReached !== null ||
      sample.windows.some(({ id, percent }) => isMainWindow(id) && percent <= 0)
    return { state: isExhausted ? 'exhausted' : 'ok', probedAt, httpStatus: 200, sample }
  }
  return {
    state: result.kind === 'auth' ? 'auth_invalid' : 'error',
    probedAt,
    httpStatus: result.httpStatus,
    sample: null,
  }
}
