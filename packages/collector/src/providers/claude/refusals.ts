import { type EpochMs, epochMs } from '@svc/core'
import {
  isMainWindow,
  readStatusMessage as readProxyMessage,
  type StatusMessage,
  type VerdictMessage,
} from '@svc/core/service'
import { isRecord } from '../../wire/wire-fields.ts'
import type { VendorFailure } from '../contract/provider.ts'
import { documentOf } from '../contract/quota-answer.ts'
import { REFUSED, REFUSED_CODES, REVOKED } from '../contract/refusal-words.ts'
import { unifiedLimitsIn } from './headers.ts'

/** Reads the vendor's message as quoted by the proxy. See docs/upstream.md#claude-quota. */
export function readStatusMessage(text: string, at: EpochMs | null): StatusMessage {
  const message = readProxyMessage(text, at)
  const type = errorTypeIn(text)
  if (message.kind === 'other' && type === 'rate_limit_error') return { kind: 'quota' }
  if (message.kind === 'other' && type === 'permission_error' && isRevocation(text)) return REVOKED
  if (message.kind !== 'auth_fault') return message
  // The proxy's word for any 402 and 403, also for a scope that the login lacks.
  if (message.deactivated) return { kind: 'other' }
  if (!REFUSED_CODES.has(message.code)) return message
  return isRevocation(text) ? REVOKED : { ...message, suspected: true }
}

/** Reads the refusal of a failed request; null if the failure says nothing about the account. */
export function refusalIn(failure: VendorFailure, at: EpochMs): VerdictMessage | null {
  const { httpStatus, body, headers } = failure
  if (httpStatus === 429) return limitIn(headers, at)
  if (httpStatus !== 401 && httpStatus !== 403) return null
  const message = readStatusMessage(body, at)
  if (message.kind === 'auth_fault' && message.suspected !== true) return message
  // Any other 403 refuses the request or its scope, and a page refuses our address.
  if (httpStatus === 403 || message.kind === 'blocked') return null
  return message.kind === 'auth_fault' ? message : REFUSED
}

function limitIn(headers: unknown, at: EpochMs): VerdictMessage | null {
  const rejecting = unifiedLimitsIn(headers).limits.filter(({ isRejecting }) => isRejecting)
  const main = rejecting.filter(({ reading }) => isMainWindow(reading.id))
  // With only one model used up, the account serves all others.
  if (rejecting.length > 0 && main.length === 0) return null
  const resetsAt = epochMs(Math.max(at, ...main.map(({ reading }) => reading.resetAt ?? at)))
  return resetsAt > at ? { kind: 'usage_limit', resetsAt, observedAt: at } : { kind: 'quota' }
}

/** True if the error type in the body says that the login was revoked. */
export function isRevocation(body: string): boolean {
  return errorTypeIn(body) !== null && /revoked|invalid_grant/i.test(body)
}

function errorTypeIn(body: string): unknown {
  const root = documentOf(body)
  return isRecord(root) ? (isRecord(root.error) ? root.error.type : root.error) : null
}
