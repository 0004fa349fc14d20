import type { EpochMs } from '@svc/core'
import { isVerdictMessage } from '@svc/core/account'
import type { StatusMessage, VerdictMessage } from '@svc/core/service'
import {
  NO_IDENTITY,
  type ProbeResult,
  type Provider,
  tokenLoginIn,
  usualPoliteness,
  type VendorAnswer,
  type VendorFailure,
} from '../contract/provider.ts'
import { failureOf, readQuotaAnswer } from '../contract/quota-answer.ts'
import {
  LIMITED,
  type Meanings,
  PLAN_USED_UP,
  REFUSED,
  REVOKED,
  readByWords,
  wordsOf,
} from '../contract/refusal-words.ts'
import { kimiQuotaSampleOf } from './usages-document.ts'

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

/** Reads the vendor's refusal of a failed request. The status counts if the words say nothing. */
export function refusalIn({ httpStatus, body }: VendorFailure, at: EpochMs): VerdictMessage | null {
  const message = readStatusMessage(body, at)
  if (httpStatus === 401) return message.kind === 'auth_fault' ? message : REFUSED
  if (httpStatus === 429) return message.kind === 'usage_limit' ? message : LIMITED
  if (httpStatus !== 402 && httpStatus !== 403) return null
  return isVerdictMessage(message) && message !== REFUSED ? message : null
}

/** Moonshot's Kimi, by accounts of kimi.com. */
export const kimi: Provider = kimiAt({ id: 'kimi', host: 'api.kimi.com' })
/** Moonshot's Kimi, by accounts of kimi.ai. */
export const kimiAi: Provider = kimiAt({ id: 'kimi-ai', host: 'api.kimi.ai' })

function kimiAt({ id, host }: { id: 'kimi' | 'kimi-ai'; host: string }): Provider {
  return {
    id,
    endpoint: `${id}-usages`,
    politeness: usualPoliteness(id),
    // The list has neither user nor plan of these accounts.
    identityOf: () => NO_IDENTITY,
    loginOf: (file) => tokenLoginIn(file, id),
    quotaRequest: ({ bearer }) => ({
      url: `https://${host}/coding/v1/usages`,
      headers: { Authorization: `Bearer ${bearer}`, Accept: 'application/json' },
    }),
    windowsOf,
    windowsFromHeaders: () => null,
    readStatusMessage,
    refusalIn,
  }
}

/** Reads the vendor's answer to a quota request. A used-up plan may also cause a refusal of the query, which is no fault of the login. */
function windowsOf(answer: VendorAnswer): ProbeResult {
  const { status: httpStatus, body, receivedAt } = answer
  if (httpStatus === 200) return readQuotaAnswer(answer, kimiQuotaSampleOf)
  const failure = failureOf(answer)
  if (failure.kind === 'blocked') return failure
  const verdict = refusalIn({ httpStatus, body }, receivedAt)
  if (verdict?.kind === 'auth_fault' && verdict.suspected !== true)
    return { kind: 'auth', httpStatus, revoked: true }
  const namesPermission = /\b(?:scope|permission)s?\b/i.test(wordsOf(body))
  const isNotAllowed = httpStatus === 403 && verdict === null && namesPermission
  return isNotAllowed || httpStatus === 404 ? { kind: 'unavailable', httpStatus } : failure
}
