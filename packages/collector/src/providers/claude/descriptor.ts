import { type EpochMs, epochMs } from '@svc/core'
import {
  isMainWindow,
  readStatusMessage as readProxyMessage,
  type StatusMessage,
  type VerdictMessage,
} from '@svc/core/service'
import {
  displayText,
  documentOf,
  isRecord,
  recordIn,
  textFrom,
  type WireRecord,
} from '../../wire/wire-fields.ts'
import {
  NO_IDENTITY,
  type PlanReading,
  type ProbeResult,
  type Provider,
  tokenLoginIn,
  usualPoliteness,
  type VendorAnswer,
  type VendorFailure,
  type VendorLogin,
} from '../contract/provider.ts'
import { readQuotaAnswer } from '../contract/quota-answer.ts'
import { REFUSED, REFUSED_CODES, REVOKED } from '../contract/refusal-words.ts'
import { unifiedLimitsIn, windowsFromHeaders } from './headers.ts'
import { claudeQuotaSampleOf } from './usage-document.ts'

/** Reads the plan and the organisation in an `oauth/profile` answer; null if it has neither. See docs/upstream.md#claude-quota. */
export function planOf({ status, body }: VendorAnswer): PlanReading | null {
  const profile = status === 200 ? documentOf(body) : null
  if (!isRecord(profile)) return null
  const organization = recordIn(profile.organization)
  const plan = planOfLogin(organization) ?? planOfPerson(organization, profile.account)
  const vendorIdentity = textFrom(organization.uuid)
  return plan === null && vendorIdentity === null ? null : { plan, vendorIdentity }
}

/** The plan of the organisation that the login belongs to. Only the tier tells the size of a Max plan. */
function planOfLogin({ organization_type, rate_limit_tier }: WireRecord): string | null {
  const type = displayText(textFrom(organization_type) ?? '', TYPE_LENGTH_MAX).toLowerCase()
  const plan = type.replace(/^claude_/, '')
  if (PLANS_OF_ONE_SIZE.has(plan)) return plan
  const [size = null] = /max_(?:5|20)x/i.exec(textFrom(rate_limit_tier) ?? '') ?? []
  return size ?? textFrom(plan)
}

/**
 * The plan in a person's flags. All logins of the person have the same flags, even a seat in a team, so they count only if nothing describes the
 * login itself.
 */
function planOfPerson({ rate_limit_tier }: WireRecord, account: unknown): string | null {
  if (textFrom(rate_limit_tier) !== null || !isRecord(account)) return null
  const { has_claude_max: hasMax, has_claude_pro: hasPro } = account
  if (hasMax === true) return 'max'
  if (hasPro === true) return 'pro'
  return hasMax === false && hasPro === false ? 'free' : null
}

const TYPE_LENGTH_MAX = 64
const PLANS_OF_ONE_SIZE = new Set(['pro', 'team', 'enterprise', 'free'])

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
function isRevocation(body: string): boolean {
  return errorTypeIn(body) !== null && /revoked|invalid_grant/i.test(body)
}

function errorTypeIn(body: string): unknown {
  const root = documentOf(body)
  return isRecord(root) ? (isRecord(root.error) ? root.error.type : root.error) : null
}

/** Anthropic's Claude. */
export const claude: Provider = {
  id: 'claude',
  endpoint: 'oauth-usage',
  politeness: usualPoliteness('claude', {
    apartSeconds: 3,
    pause: { firstSeconds: 1800, longestSeconds: 21_600 },
    blockedPauses: true,
  }),
  identityOf: () => NO_IDENTITY,
  loginOf: (file) => tokenLoginIn(file, 'claude', PLAN_TOKEN),
  quotaRequest: (login) => requestOf('usage', login),
  planQuery: { everySeconds: 86_400, request: (login) => requestOf('profile', login), planOf },
  windowsOf,
  windowsFromHeaders,
  readStatusMessage,
  refusalIn,
}

/** A key of the paid API is excluded: it has no plan, and its query would be refused like a bad login. */
const PLAN_TOKEN = /^(?!sk-ant-api)[\x21-\x7e]+$/

function requestOf(document: 'usage' | 'profile', { bearer }: VendorLogin) {
  return {
    url: `https://api.anthropic.com/api/oauth/${document}`,
    headers: {
      Authorization: `Bearer ${bearer}`,
      'anthropic-beta': 'oauth-2025-04-20',
      Accept: 'application/json',
      'Content-Type': 'application/json',
      // Other clients are throttled far sooner.
      'User-Agent': 'claude-code/2.1.201',
    },
  }
}

/** Reads the answer to a quota request. A 403 about a scope is no fault of the login. */
function windowsOf(answer: VendorAnswer): ProbeResult {
  const { status: httpStatus, body } = answer
  const result = readQuotaAnswer(answer, claudeQuotaSampleOf)
  const isForbidden = result.kind === 'failed' && httpStatus === 403
  if ((isForbidden || result.kind === 'auth') && isRevocation(body))
    return { kind: 'auth', httpStatus, revoked: true }
  const lacksScope = isForbidden && /\bscopes?\b|user:profile/i.test(body)
  return lacksScope ? { kind: 'unavailable', httpStatus } : result
}
