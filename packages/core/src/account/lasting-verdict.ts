import type { Account } from '../facts/account.ts'
import { type AccountEvidence, allSamplesOf } from '../facts/account-evidence.ts'
import { ASSUMED_PROVIDER } from '../facts/provider.ts'
import type { StatusMessage, Verdict, VerdictMessage } from '../facts/status-message.ts'
import { DAY_MS, type EpochMs, epochMs, plusMs } from '../facts/time.ts'
import { isMainWindow } from '../facts/window.ts'
import { newestDirectSample, showsQuotaLeft } from './merge-evidence.ts'

/** Age at which a refusal that no success has refuted is forgotten. See docs/rules.md#verdicts-that-last. */
export const VERDICT_MS_MAX = DAY_MS
/** Wait after a refusal that states no time; doubled with each further refusal. */
const COOLDOWN_MS_MIN = 60_000
const COOLDOWN_MS_MAX = 15 * 60_000
/**
 * Time within which a write of the auth file after a refusal does not mean a new login: the proxy may rewrite the file when it stores its first
 * result.
 */
const REWRITE_MS = 10_000

/** Whether a message keeps an account from being used. */
export function isVerdictMessage(
  message: StatusMessage,
): message is Exclude<VerdictMessage, { readonly kind: 'other' }> {
  return message.kind === 'auth_fault' || message.kind === 'usage_limit' || message.kind === 'quota'
}

/** The one of two refusals to remember, `next` being the later report; null if a request has succeeded since. `provenAt` as in `Account`. */
export function verdictAfter(
  before: Verdict | null,
  next: Verdict | null,
  provenAt: EpochMs | null,
): Verdict | null {
  const unproven = (verdict: Verdict | null) =>
    verdict !== null && provenAt !== null && provenAt > verdict.at ? null : verdict
  const [known, refusal] = [unproven(before), unproven(next)]
  if (known === null || refusal === null) return known ?? refusal
  // A refusal that names no time does not end a wait with a known end.
  const outlasts = known.message.kind === 'usage_limit' && known.message.resetsAt > refusal.at
  if (refusal.message.kind === 'other' || (refusal.message.kind === 'quota' && outlasts))
    return known
  if (known.message.kind === 'auth_fault' && refusal.message.kind === 'auth_fault') {
    // What the vendor once said for good is not doubted because it later says less.
    const saysLess = refusal.message.suspected === true && known.message.suspected !== true
    const { message } = saysLess ? known : refusal
    return refusal.at > known.at
      ? { ...refusal, message, firstAt: known.firstAt ?? known.at }
      : known
  }
  if (known.message.kind !== 'quota' || refusal.message.kind !== 'quota')
    return refusal.at > known.at ? refusal : known
  if (refusal.at >= cooldownEndOf(known))
    return { ...refusal, inARow: Math.max(known.inARow + 1, refusal.inARow) }
  // Clients that retry at once may cause many refusals within one wait; they count as one, which lasts as long as the proxy waits after the last.
  const waits = [known.retryAt, refusal.retryAt].filter((at) => at !== null)
  const retryAt = waits.length === 0 ? null : epochMs(Math.max(...waits))
  return { ...known, retryAt, inARow: Math.max(known.inARow, refusal.inARow) }
}

/** The remembered refusal that still blocks the account; null if there is none. */
export function standingVerdict(
  account: Account,
  evidence: AccountEvidence | null,
  now: EpochMs,
): Verdict | null {
  const verdict = account.verdict ?? null
  return verdict !== null && stateOf(verdict, account, evidence, now) === 'stands' ? verdict : null
}

/** True if the wait after a refusal is over or its file was rewritten, and no request has succeeded since. */
export function isUnproven(
  account: Account,
  evidence: AccountEvidence | null,
  now: EpochMs,
): boolean {
  const verdict = account.verdict ?? null
  return verdict !== null && stateOf(verdict, account, evidence, now) === 'unproven'
}

/** End of the wait after a refusal that states no time: the proxy's own backoff without its very short first steps. */
export function cooldownEndOf({ at, retryAt, inARow }: Verdict): EpochMs {
  const end = plusMs(at, Math.min(COOLDOWN_MS_MAX, COOLDOWN_MS_MIN * 2 ** (inARow - 1)))
  return retryAt !== null && retryAt > end ? retryAt : end
}

/** The usage limit that applies to an account: from the proxy's message, else from a remembered refusal. Without a limit, the proxy's message. */
export function limitMessageOf(
  account: Account,
  evidence: AccountEvidence | null,
  now: EpochMs,
): StatusMessage {
  const message = planLimitOf(account.message, account.messageAt, evidence)
  if (message.kind === 'usage_limit') return message
  const standing = standingVerdict(account, evidence, now)
  const remembered =
    standing === null ? message : planLimitOf(standing.message, standing.at, evidence)
  return remembered.kind === 'usage_limit' ? remembered : message
}

/** For a used-up plan without a reset time: a limit of the main window that was nearest to empty at `at`. Any other message is returned unchanged. */
export function planLimitOf<Message extends StatusMessage>(
  message: Message,
  at: EpochMs | null,
  evidence: AccountEvidence | null,
): Message | Extract<StatusMessage, { readonly kind: 'usage_limit' }> {
  if (message.kind !== 'quota' || message.planUsedUp !== true || at === null) return message
  const open = allSamplesOf(evidence)
    .flatMap(({ windows }) => windows)
    .filter(({ id, resetAt }) => isMainWindow(id) && resetAt !== null && resetAt > at)
  const [emptiest] = open.sort((one, other) => one.percent - other.percent)
  return emptiest === undefined || emptiest.resetAt === null
    ? message
    : { kind: 'usage_limit', resetsAt: emptiest.resetAt, observedAt: at }
}

/** Time of the last request that proved that the account works; null if there was none. */
export function provenAtOf({ provenAt, lastSuccessAt }: Account): EpochMs | null {
  return provenAt === undefined ? lastSuccessAt : provenAt
}

function stateOf(
  verdict: Verdict,
  account: Account,
  evidence: AccountEvidence | null,
  now: EpochMs,
): 'stands' | 'unproven' | 'over' {
  const { at, origin } = verdict
  const message = planLimitOf(verdict.message, at, evidence)
  if (now - at >= VERDICT_MS_MAX || isRefuted(verdict, account, evidence)) return 'over'
  if (origin === 'list' && message.kind === 'quota' && isOfSomeModels(account, evidence, now))
    return 'over'
  const { modifiedAt } = account
  const isRewritten =
    modifiedAt !== null && modifiedAt > (origin === 'record' ? plusMs(at, REWRITE_MS) : at)
  return isRewritten || hasEnded({ ...verdict, message }, now) || message.kind === 'other'
    ? 'unproven'
    : 'stands'
}

/**
 * True while clients' answers show a model's own window used up. That explains a limit without a time at the proxy: for Claude it looks the same
 * whether one model or the whole account is refused.
 */
function isOfSomeModels(
  { provider }: Account,
  evidence: AccountEvidence | null,
  now: EpochMs,
): boolean {
  if (provider === ASSUMED_PROVIDER) return false
  return allSamplesOf(evidence).some(
    ({ origin, windows }) =>
      origin !== 'direct' &&
      windows.some(
        ({ id, percent, resetAt }) =>
          !isMainWindow(id) && percent <= 0 && resetAt !== null && resetAt > now,
      ),
  )
}

function hasEnded(verdict: Verdict, now: EpochMs): boolean {
  const { message } = verdict
  if (message.kind === 'usage_limit') return message.resetsAt <= now
  return message.kind === 'quota' && cooldownEndOf(verdict) <= now
}

/**
 * True if a later success, or a later query that proves the login or shows quota again, refutes the verdict. Samples taken through another proxy
 * prove nothing about this login.
 */
function isRefuted(
  { at, message }: Verdict,
  account: Account,
  evidence: AccountEvidence | null,
): boolean {
  const provenAt = provenAtOf(account)
  if (provenAt !== null && provenAt > at) return true
  const isLimit = message.kind === 'usage_limit' || message.kind === 'quota'
  const direct = newestDirectSample(isLimit ? allSamplesOf(evidence) : (evidence?.samples ?? []))
  return direct !== null && direct.sampledAt > at && (!isLimit || showsQuotaLeft(direct))
}
