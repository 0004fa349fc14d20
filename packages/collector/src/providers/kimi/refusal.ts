import type { EpochMs } from '@svc/core'
import { isVerdictMessage } from '@svc/core/account'
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

/** See docs/upstream.md#kimi-quota. */
const meanings: Meanings = [
  [/\brevoked\b|^(?:invalid_grant|token_revoked)$/im, REVOKED],
  [/^rate_limit_\w+$|^payment_required$|\binsufficient balance\b/im, LIMITED],
  [/\busage limit\b|^access_terminated_error$/im, PLAN_USED_UP],
  [/^(?:unauthorized|auth_unavailable|(?:invalid_)?authentication_error)$/im, REFUSED],
]

/** Reads the proxy's message about an account: the body of the vendor's refusal, or the proxy's own words. */
export function readStatusMessage(text: string, at: EpochMs | null): StatusMessage {
  return readByWords(text, at, meanings)
}

/** The vendor's refusal of a failed request. Its status counts where its words say nothing. */
export function refusalIn({ httpStatus, body }: VendorFailure, at: EpochMs): VerdictMessage | null {
  const message = readStatusMessage(body, at)
  if (httpStatus === 401) return message.kind === 'auth_fault' ? message : REFUSED
  if (httpStatus === 429) return message.kind === 'usage_limit' ? message : LIMITED
  if (httpStatus !== 402 && httpStatus !== 403) return null
  return isVerdictMessage(message) && message !== REFUSED ? message : null
}
