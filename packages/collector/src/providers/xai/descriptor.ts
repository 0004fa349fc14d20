import { DAY_MS, type EpochMs, plusMs } from '@svc/core'
import type { StatusMessage, VerdictMessage } from '@svc/core/service'
import { displayText, documentOf, isRecord, numberFrom, textFrom } from '../../wire/wire-fields.ts'
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
} from '../contract/refusal-words.ts'
import { windowsFromHeaders, xaiQuotaSampleOf } from './quota-windows.ts'

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

/** Reads the vendor's refusal of a failed request. The status counts if the words say nothing. */
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

const ADDRESS = 'https://cli-chat-proxy.grok.com/v1'
const PLAN_LENGTH_MAX = 64

/** xAI's Grok. */
export const xai: Provider = {
  id: 'xai',
  endpoint: 'xai-billing',
  politeness: usualPoliteness('xai'),
  identityOf: () => NO_IDENTITY,
  loginOf: (file) => tokenLoginIn(file, 'xai'),
  quotaRequest: ({ bearer }) => requestOf('billing?format=credits', bearer),
  planQuery: {
    everySeconds: 86_400,
    request: ({ bearer }) => requestOf('settings', bearer),
    planOf({ status, body }) {
      const settings = documentOf(body)
      if (status !== 200 || !isRecord(settings)) return null
      const { subscription_tier_display: display, subscription_tier: tier } = settings
      const number = numberFrom(tier)
      const name = textFrom(display) ?? (number === null ? textFrom(tier) : plans[number])
      const plan = textFrom(displayText(name ?? '', PLAN_LENGTH_MAX))
      return plan === null ? null : { plan, vendorIdentity: null }
    },
  },
  windowsOf,
  windowsFromHeaders,
  readStatusMessage,
  refusalIn,
}

/** Plans, indexed by the vendor's number. */
const plans: readonly string[] = [
  ...['free', 'supergrok', 'x_basic', 'x_premium', 'x_premium_plus'],
  ...['supergrok_heavy', 'supergrok_lite', 'supergrok_plus'],
]

/** Builds a request. The vendor refuses it without the first header, or with the version of an outdated client. */
function requestOf(path: string, bearer: string) {
  const headers = {
    'x-xai-token-auth': 'xai-grok-cli',
    'x-grok-client-version': '0.2.112',
    Authorization: `Bearer ${bearer}`,
    Accept: '*/*',
    'User-Agent': 'grok-pager/0.2.112 grok-shell/0.2.112 (linux; x86_64)',
  }
  return { url: `${ADDRESS}/${path}`, headers }
}

/** Reads the vendor's answer to a quota request. A 404, or a 403 with JSON that does not blame the login, means that the vendor reports no quota for the account. */
function windowsOf(answer: VendorAnswer): ProbeResult {
  const { status: httpStatus, body, receivedAt } = answer
  if (httpStatus === 200) return readQuotaAnswer(answer, xaiQuotaSampleOf)
  const failure = failureOf(answer)
  if (failure.kind === 'blocked') return failure
  const verdict = refusalIn({ httpStatus, body }, receivedAt)
  if (verdict?.kind === 'auth_fault')
    return { kind: 'auth', httpStatus, ...(verdict.suspected !== true && { revoked: true }) }
  const isRefused = httpStatus === 403 && isRecord(documentOf(body))
  return isRefused || httpStatus === 404 ? { kind: 'unavailable', httpStatus } : failure
}
