import type { EpochMs } from '@svc/core'
import { isVerdictMessage } from '@svc/core/account'
import {
  readStatusMessage as readSharedMessage,
  type StatusMessage,
  type VerdictMessage,
} from '@svc/core/service'
import { isRecord, textFrom } from '../../wire/wire-fields.ts'
import type { VendorFailure } from '../contract/provider.ts'
import { documentOf } from '../contract/quota-answer.ts'

const QUOTA = { kind: 'quota' } as const
const REVOKED = { kind: 'auth_fault', code: 'token_revoked', deactivated: false } as const
/** An expired token is refused in the same way. */
const REFUSED = { ...REVOKED, code: 'unauthorized', suspected: true } as const

/** Meanings of the vendor's codes and words; the first match counts. A code fills a whole line. See docs/upstream.md#kimi-quota. */
const meanings: readonly (readonly [RegExp, VerdictMessage])[] = [
  [/\brevoked\b|^(?:invalid_grant|token_revoked)$/im, REVOKED],
  [/^rate_limit_\w+$|^payment_required$|\binsufficient balance\b/im, QUOTA],
  [/\busage limit\b|^access_terminated_error$/im, { kind: 'quota', planUsedUp: true }],
  [/^(?:unauthorized|auth_unavailable|(?:invalid_)?authentication_error)$/im, REFUSED],
]

/** Reads the proxy's message about an account: the body of the vendor's refusal, or the proxy's own words. */
export function readStatusMessage(text: string, at: EpochMs | null): StatusMessage {
  const message = readSharedMessage(text, at)
  if (message.kind !== 'other' && message.kind !== 'auth_fault') return message
  const words = wordsOf(text)
  return meanings.find(([pattern]) => pattern.test(words))?.[1] ?? message
}

/** Codes and words of a refusal, one a line. */
export function wordsOf(text: string): string {
  const body = documentOf(text)
  if (body === undefined) return text.trim()
  const places = isRecord(body) ? [body, body.error].filter(isRecord) : []
  const words = places.flatMap(({ code, type, error, message }) => [code, type, error, message])
  return words.flatMap((word) => textFrom(word) ?? []).join('\n')
}

/** The vendor's refusal of a failed request. Its status counts where its words say nothing. */
export function refusalIn({ httpStatus, body }: VendorFailure, at: EpochMs): VerdictMessage | null {
  const message = readStatusMessage(body, at)
  if (httpStatus === 401) return message.kind === 'auth_fault' ? message : REFUSED
  if (httpStatus === 429) return message.kind === 'usage_limit' ? message : QUOTA
  if (httpStatus !== 402 && httpStatus !== 403) return null
  return isVerdictMessage(message) && message !== REFUSED ? message : null
}
