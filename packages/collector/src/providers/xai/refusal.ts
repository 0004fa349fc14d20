import { DAY_MS, type EpochMs, plusMs } from '@svc/core'
import type { StatusMessage, VerdictMessage } from '@svc/core/service'
import type { VendorFailure } from '../contract/provider.ts'
import {
  LIMITED,
  type Meanings,
  PLAN_USED_UP,
  REFUSED,
  REVOKED,
  readByWords,
} from '../contract/refusal-words.ts'

const FREE_USAGE_USED_UP: VerdictMessage = { kind: 'quota' }
/** See docs/upstream.md#xai-quota. */
const meanings: Meanings = [
  [/^subscription:free-usage-exhausted$/m, FREE_USAGE_USED_UP],
  [/\brevoked\b|^(?:invalid_grant|token_revoked)$/im, REVOKED],
  [/\brun out of credits\b|\bused all available credits\b|\bspending.limit\b/i, PLAN_USED_UP],
  [/^(?:[\w:]+:)?bad-credentials$/m, { ...REFUSED, code: 'bad_credentials' }],
  [/^(?:unauthorized|auth_unavailable|authentication_error)$|\bexpired credentials\b/im, REFUSED],
  [/^payment_required$|\btoo many requests\b/im, LIMITED],
]

/** Reads the proxy's message about an account: the body of the vendor's refusal, or the proxy's own words. */
export function readStatusMessage(text: string, at: EpochMs | null): StatusMessage {
  const message = readByWords(text, at, meanings)
  // Free usage counts over a rolling day, and the vendor names no end of it.
  return message === FREE_USAGE_USED_UP && at !== null
    ? { kind: 'usage_limit', resetsAt: plusMs(at, DAY_MS), observedAt: at }
    : message
}

/** The vendor's refusal of a failed request. Its status counts where its words say nothing. */
export function refusalIn({ httpStatus, body }: VendorFailure, at: EpochMs): VerdictMessage | null {
  const message = readStatusMessage(body, at)
  const isLimit = message.kind === 'usage_limit' || message.kind === 'quota'
  const isFault = message.kind === 'auth_fault'
  if (httpStatus === 401) return isFault ? message : REFUSED
  if (httpStatus === 402) return PLAN_USED_UP
  if (httpStatus === 403) return isLimit || (isFault && message !== REFUSED) ? message : null
  if (httpStatus === 429) return isLimit ? message : LIMITED
  return null
}
