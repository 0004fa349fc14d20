import { DAY_MS, type EpochMs, plusMs } from '@svc/core'
import {
  readStatusMessage as readSharedMessage,
  type StatusMessage,
  type VerdictMessage,
} from '@svc/core/service'
import { isRecord, textFrom } from '../../wire/wire-fields.ts'
import type { VendorFailure } from '../contract/provider.ts'
import { documentOf } from '../contract/quota-answer.ts'

const QUOTA = { kind: 'quota' } as const
const PLAN_USED_UP = { kind: 'quota', planUsedUp: true } as const
const REVOKED = { kind: 'auth_fault', code: 'token_revoked', deactivated: false } as const
/** An expired token is refused in the same way. */
const REFUSED = { ...REVOKED, code: 'unauthorized', suspected: true } as const
const FREE_USAGE_USED_UP = /^subscription:free-usage-exhausted$/m
/** Meanings of the vendor's codes and words; the first match counts. A code fills a whole line. See docs/upstream.md#xai-quota. */
const meanings: readonly (readonly [RegExp, VerdictMessage])[] = [
  [/\brevoked\b|^(?:invalid_grant|token_revoked)$/im, REVOKED],
  [/\brun out of credits\b/i, PLAN_USED_UP],
  [/^(?:[\w:]+:)?bad-credentials$/m, { ...REFUSED, code: 'bad_credentials' }],
  [/^(?:unauthorized|auth_unavailable|authentication_error)$|\bexpired credentials\b/im, REFUSED],
  [/^payment_required$|\btoo many requests\b/im, QUOTA],
  [FREE_USAGE_USED_UP, QUOTA],
]

/** Reads the proxy's message about an account: the body of the vendor's refusal, or the proxy's own words. */
export function readStatusMessage(text: string, at: EpochMs | null): StatusMessage {
  const message = readSharedMessage(text, at)
  if (message.kind !== 'other' && message.kind !== 'auth_fault') return message
  const body = documentOf(text)
  const words = isRecord(body) ? [body.code, body.error].map(textFrom).join('\n') : text.trim()
  // Free usage counts over a rolling day, and the vendor names no end of it.
  if (FREE_USAGE_USED_UP.test(words) && at !== null)
    return { kind: 'usage_limit', resetsAt: plusMs(at, DAY_MS), observedAt: at }
  return meanings.find(([pattern]) => pattern.test(words))?.[1] ?? message
}

/** The vendor's refusal of a failed request. Its status counts where its words say nothing. */
export function refusalIn({ httpStatus, body }: VendorFailure, at: EpochMs): VerdictMessage | null {
  const message = readStatusMessage(body, at)
  const isLimit = message.kind === 'usage_limit' || message.kind === 'quota'
  const isFault = message.kind === 'auth_fault'
  if (httpStatus === 401) return isFault ? message : REFUSED
  if (httpStatus === 402) return PLAN_USED_UP
  if (httpStatus === 403) return isLimit || (isFault && message !== REFUSED) ? message : null
  if (httpStatus === 429) return isLimit ? message : QUOTA
  return null
}
