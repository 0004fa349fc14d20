import type { EpochMs } from '@svc/core'
import { BANKED_EXPIRIES_MAX, isVerdictMessage } from '@svc/core/account'
import { readStatusMessage, type VerdictMessage } from '@svc/core/service'
import * as v from 'valibot'
import {
  displayText,
  documentOf,
  instantFrom,
  isRecord,
  wireInstant,
  wireText,
} from '../../wire/wire-fields.ts'
import type {
  AccountIdentity,
  ProbeResult,
  Provider,
  QuotaRequest,
  StoredLogin,
  VendorAnswer,
  VendorFailure,
  VendorLogin,
} from '../contract/provider.ts'
import { readQuotaAnswer } from '../contract/quota-answer.ts'
import { windowsFromHeaders } from './headers.ts'
import { codexQuotaSampleOf, snakeKeys } from './usage-document.ts'

/** OpenAI's Codex. */
export const codex: Provider = {
  id: 'codex',
  endpoint: 'wham-usage',
  // The proxy itself gives up after 60 s and reports it.
  politeness: { seconds: 65, answerBytesMax: 256 * 1024, budget: null },
  identityOf,
  loginOf,
  quotaRequest,
  bankedList: {
    // Some proxies leave this call open for long.
    request: (login) => ({
      ...requestOf('rate-limit-reset-credits', login),
      limits: { seconds: 10, answerBytesMax: 64 * 1024 },
    }),
    expiriesOf: ({ body }) => expiriesIn(documentOf(body)),
  },
  windowsOf,
  windowsFromHeaders,
  // Lives in core, beside the type of the message it reads.
  readStatusMessage,
  refusalIn,
}

/** Reads the vendor's answer to a quota request. See docs/upstream.md#codex-quota and docs/rules.md#refused-logins. */
export function windowsOf(answer: VendorAnswer): ProbeResult {
  const { status: httpStatus, headers } = answer
  if (httpStatus === 402 && headers.get('cf-mitigated') === null)
    return { kind: 'auth', httpStatus }
  return readQuotaAnswer(answer, codexQuotaSampleOf)
}

const PLAN_LENGTH_MAX = 64
const HEADER_SAFE_ID = /^[\x21-\x7e]{1,128}$/

const idTokenSchema = v.object({
  chatgpt_account_id: wireText,
  plan_type: wireText,
  chatgpt_subscription_active_until: wireInstant,
})
const entrySchema = v.object({ id_token: v.fallback(v.nullable(idTokenSchema), null) })

/** Reads the parts of the login token that the proxy shows. */
export function identityOf(entry: unknown): AccountIdentity {
  const parsed = v.safeParse(entrySchema, entry)
  const idToken = parsed.success ? parsed.output.id_token : null
  const id = idToken?.chatgpt_account_id ?? ''
  return {
    vendorAccountId: HEADER_SAFE_ID.test(id) ? id : null,
    claimedPlan:
      idToken?.plan_type == null ? null : displayText(idToken.plan_type, PLAN_LENGTH_MAX),
    subscribedUntil: idToken?.chatgpt_subscription_active_until ?? null,
  }
}

/** The token is only ever sent, never renewed: refresh tokens are single use, and a second refresher logs the account out. */
const authFileSchema = v.object({
  access_token: v.pipe(v.string(), v.regex(/^[\x21-\x7e]+$/)),
  account_id: v.optional(v.nullable(v.pipe(v.string(), v.regex(HEADER_SAFE_ID)))),
  type: v.optional(v.literal('codex')),
  disabled: v.optional(v.boolean(), false),
})

/** Reads the login in an auth file; null if it has none or is another provider's. */
export function loginOf(file: unknown): StoredLogin | null {
  const parsed = v.safeParse(authFileSchema, file)
  if (!parsed.success) return null
  const { access_token, account_id, disabled } = parsed.output
  return { bearer: access_token, vendorAccountId: account_id ?? null, disabled }
}

/** The only addresses ever queried. */
const WHAM_URL = 'https://chatgpt.com/backend-api/wham/'
/** User agent of the vendor's own client. The account header is sent only if the id is known. */
const USER_AGENT = 'codex_cli_rs/0.145.0'

export function quotaRequest(login: VendorLogin): QuotaRequest {
  return requestOf('usage', login)
}

function requestOf(
  document: 'usage' | 'rate-limit-reset-credits',
  { bearer, vendorAccountId }: VendorLogin,
): QuotaRequest {
  return {
    url: WHAM_URL + document,
    headers: {
      Authorization: `Bearer ${bearer}`,
      'Content-Type': 'application/json',
      'User-Agent': USER_AGENT,
      ...(vendorAccountId === null ? {} : { 'Chatgpt-Account-Id': vendorAccountId }),
    },
  }
}

/** HTTP status for a reached limit, with any body. */
const THROTTLED = 429

/** The login fault or used-up limit named in the body. Any other 429, or one whose reset had already passed, is a limit without a time. */
function refusalIn({ httpStatus, body }: VendorFailure, at: EpochMs): VerdictMessage | null {
  const message = readStatusMessage(body, at)
  if (message.kind === 'usage_limit' && message.resetsAt <= at) return { kind: 'quota' }
  if (isVerdictMessage(message)) return message
  return httpStatus === THROTTLED ? { kind: 'quota' } : null
}

const CREDITS_MAX = 100

/** Expiries of the banked resets that can be spent, soonest first; null for anything but a list of them. A reset that is listed twice counts once. */
export function expiriesIn(document: unknown): readonly EpochMs[] | null {
  if (!isRecord(document)) return null
  const { credits, available_count } = snakeKeys(document)
  if (!Array.isArray(credits)) return available_count === undefined ? null : []
  const expiries = new Map<unknown, EpochMs>()
  for (const credit of credits.slice(0, CREDITS_MAX)) {
    const { id, status, expires_at } = snakeKeys(credit)
    const at = instantFrom(expires_at)
    const isAvailable = typeof status === 'string' && status.toLowerCase() === 'available'
    if (isAvailable && at !== null) expiries.set(id ?? credit, at)
  }
  return [...expiries.values()].sort((one, other) => one - other).slice(0, BANKED_EXPIRIES_MAX)
}
