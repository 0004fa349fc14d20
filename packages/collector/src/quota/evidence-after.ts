import { hash } from 'node:crypto'
import {
  type Account,
  type AccountEvidence,
  type DisabledProbe,
  type EpochMs,
  mainWindows,
  type QuotaSample,
  type WindowReading,
} from '@svc/core'
import { isUnknownRefusal, isUsedUp } from '@svc/core/account'
import {
  ASSUMED_PROVIDER,
  isMainWindow,
  type RefusedLogin,
  type VendorRefusal,
  withPassiveSample,
} from '@svc/core/service'
import { loginIdentityOf } from '../accounts/login-aliases.ts'
import type { PlanReading, ProbeResult } from '../providers/contract/provider.ts'
import type { BankedListResult } from '../transports/quota-transport.ts'

/** The fields of an account that its vendor identity depends on. */
type Login = Pick<Account, 'provider' | 'email'>

interface ResultContext {
  readonly now: EpochMs
  /** Whether the list was read since the vendor last refused the login and still contains the account. */
  readonly isListedAgain: boolean
  readonly account: Login
  /** Latest success of one of the account's requests; null if there is none, or if one more refusal is enough. */
  readonly provenAt: EpochMs | null
  /** Pause of all queries of the vendor caused by the result; null for none. */
  readonly pause: VendorRefusal | null
}

/** Adds the result of a query to the evidence of an account. */
export function evidenceAfter(
  { vendorPause: _ended, ...evidence }: AccountEvidence,
  result: ProbeResult,
  { now, isListedAgain, account, provenAt, pause }: ResultContext,
): AccountEvidence {
  const paused = pause === null ? {} : { vendorPause: pause }
  if (result.kind === 'sample') {
    const { origin } = result.sample
    const known = evidence.samples.find((sample) => sample.origin === origin)
    const sample = completed(result.sample, evidence, known, account)
    const samples = [...evidence.samples.filter((other) => other !== known), sample]
    return {
      ...evidence,
      ...bankedAfter(evidence, result.sample),
      samples,
      probeFailure: null,
      refusedLogin: null,
      ...paused,
    }
  }
  const { kind, httpStatus } = result
  const before = evidence.probeFailure
  const isRepeated = before !== null && isUnknownRefusal(before) && isUnknownRefusal(result)
  const probeFailure = {
    at: now,
    kind,
    httpStatus,
    inARow: (before?.inARow ?? 0) + 1,
    ...(isRepeated && { firstAt: before.firstAt ?? before.at }),
  }
  const refusedLogin =
    result.kind === 'auth'
      ? refusedAgain(unproven(evidence.refusedLogin, provenAt), isListedAgain, now, result)
      : evidence.refusedLogin
  return { ...evidence, probeFailure, refusedLogin, ...paused }
}

/** The banked resets with the count of a new answer; unchanged if it does not tell. */
function bankedAfter(
  { bankedResets }: AccountEvidence,
  { bankedResetCount: count, sampledAt }: QuotaSample,
): Pick<AccountEvidence, 'bankedResets'> {
  if (count === undefined) return {}
  const { isRemembered: _no, ...known } = bankedResets ?? { expiresAt: [] }
  return { bankedResets: { ...known, count, sampledAt } }
}

/** The evidence with the answer to a query for the single banked resets; unchanged if the count is unknown. */
export function evidenceWithBankedList(
  evidence: AccountEvidence,
  { outcome, expiresAt }: BankedListResult,
  askedAt: EpochMs,
): AccountEvidence {
  const { bankedResets } = evidence
  if (bankedResets === undefined) return evidence
  const { count: known, listQuery } = bankedResets
  const count = outcome === 'answered' ? known : (listQuery?.count ?? known)
  return {
    ...evidence,
    bankedResets: {
      ...bankedResets,
      expiresAt: expiresAt ?? bankedResets.expiresAt,
      listQuery: { askedAt, count, outcome },
    },
  }
}

/** Adds the answer to a plan query to the evidence; null or an answer without a plan keeps the known plan. */
export function evidenceWithPlan(
  evidence: AccountEvidence,
  reading: PlanReading | null,
  { askedAt, account }: { readonly askedAt: EpochMs; readonly account: Login },
): AccountEvidence {
  const vendorPlan = { plan: reading?.plan ?? evidence.vendorPlan?.plan ?? null, askedAt }
  const vendorIdentity = reading?.vendorIdentity ?? null
  if (vendorIdentity === null) return { ...evidence, vendorPlan }
  const samples = evidence.samples.map((sample) =>
    sample.origin === 'direct'
      ? completed({ ...sample, vendorIdentity }, evidence, undefined, account)
      : sample,
  )
  return { ...evidence, samples, vendorPlan }
}

/** Adds fields that the vendor gives elsewhere or only at times, and hides its identity of the account, which is compared but never shown. */
function completed(
  sample: QuotaSample,
  { vendorPlan }: AccountEvidence,
  earlier: QuotaSample | undefined,
  account: Login,
): QuotaSample {
  const { vendorIdentity, bankedResetCount: _kept, ...rest } = sample
  const text = vendorIdentity === undefined ? null : loginIdentityOf(account, vendorIdentity)
  const identity =
    text === null ? earlier?.vendorIdentity : hash('sha256', text, 'hex').slice(0, 16)
  return {
    ...bounded(rest),
    plan: sample.plan ?? vendorPlan?.plan ?? null,
    ...(identity === undefined ? {} : { vendorIdentity: identity }),
  }
}

/** Maximum number of windows kept of one answer. */
const WINDOWS_MAX = 64

/** Limits the windows of a sample, with the account's own windows first. The excess windows are reported as one unknown name. */
function bounded(sample: QuotaSample): QuotaSample {
  const { windows, unreadableWindowCount, unknownNames = [] } = sample
  const beyond = windows.length - WINDOWS_MAX
  if (beyond <= 0) return sample
  const placeOf = ({ id }: WindowReading) => (isMainWindow(id) ? 0 : 1)
  return {
    ...sample,
    windows: [...windows].sort((a, b) => placeOf(a) - placeOf(b)).slice(0, WINDOWS_MAX),
    unreadableWindowCount: unreadableWindowCount + beyond,
    unknownNames: [`windows_beyond_${WINDOWS_MAX}`, ...unknownNames],
  }
}

/** The refusals, unless a success has followed; then null. */
function unproven(before: RefusedLogin | null, provenAt: EpochMs | null): RefusedLogin | null {
  return before !== null && provenAt !== null && provenAt > before.lastAt ? null : before
}

/** Counts another refusal only if the list was read in between. */
function refusedAgain(
  before: RefusedLogin | null,
  isListedAgain: boolean,
  lastAt: EpochMs,
  { httpStatus, revoked, ended }: Extract<ProbeResult, { readonly kind: 'auth' }>,
): RefusedLogin {
  return {
    inARow: (before?.inARow ?? 1) + (before !== null && isListedAgain ? 1 : 0),
    ...(before !== null && { firstAt: before.firstAt ?? before.lastAt }),
    lastAt,
    httpStatus,
    ...(revoked === true || before?.revoked === true ? { revoked: true } : {}),
    ...(ended === true || before?.deactivated === true ? { deactivated: true } : {}),
  }
}

/** Adds a sample from answers to client requests to the evidence; null if it shows nothing newer than earlier samples of its origin. */
export function evidenceWithPassive(
  evidence: AccountEvidence,
  sample: QuotaSample,
  account: Login,
): AccountEvidence | null {
  const { samples } = evidence
  const known = samples.filter(({ origin }) => origin === sample.origin)
  const asNew = known.filter(({ sampledAt }) => sampledAt >= sample.sampledAt)
  const kept = completed(sample, evidence, known.at(-1), account)
  // Every answer of Codex with windows shows all of them.
  if (account.provider === ASSUMED_PROVIDER && sample.windows.length > 0)
    return asNew.length > 0
      ? null
      : { ...evidence, samples: [...samples.filter((other) => !known.includes(other)), kept] }
  const isKnown =
    (sample.windows.length > 0 || asNew.length > 0) &&
    sample.windows.every(({ id }) =>
      asNew.some(({ windows }) => windows.some((window) => window.id === id)),
    )
  return isKnown ? null : { ...evidence, samples: withPassiveSample(samples, kept) }
}

/** Whether a sample shows every window that decides an account's state. */
export function showsMainWindows(sample: QuotaSample): boolean {
  return mainWindows.every(({ id }) => sample.windows.some((window) => window.id === id))
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
    const { vendorIdentity: _hidden, ...sample } = result.sample
    return { state: isUsedUp(sample) ? 'exhausted' : 'ok', probedAt, httpStatus: 200, sample }
  }
  return {
    state: result.kind === 'auth' ? 'auth_invalid' : 'error',
    probedAt,
    httpStatus: result.httpStatus,
    sample: null,
  }
}
