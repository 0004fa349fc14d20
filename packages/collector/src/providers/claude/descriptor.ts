import * as v from 'valibot'
import type { ProbeResult, Provider, VendorAnswer, VendorLogin } from '../contract/provider.ts'
import { readQuotaAnswer } from '../contract/quota-answer.ts'
import { usualPoliteness } from '../contract/usual-politeness.ts'
import { windowsFromHeaders } from './headers.ts'
import { planOf } from './profile.ts'
import { isRevocation, readStatusMessage, refusalIn } from './refusals.ts'
import { claudeQuotaSampleOf } from './usage-document.ts'

/** Anthropic's Claude. */
export const claude: Provider = {
  id: 'claude',
  endpoint: 'oauth-usage',
  politeness: usualPoliteness('claude', {
    apartSeconds: 3,
    pause: { firstSeconds: 1800, longestSeconds: 21_600 },
    blockedPauses: true,
  }),
  identityOf: () => ({ vendorAccountId: null, claimedPlan: null, subscribedUntil: null }),
  loginOf(file) {
    const parsed = v.safeParse(authFileSchema, file)
    if (!parsed.success) return null
    const { access_token, disabled } = parsed.output
    return { bearer: access_token, vendorAccountId: null, disabled }
  },
  quotaRequest: (login) => requestOf('usage', login),
  planQuery: { everySeconds: 86_400, request: (login) => requestOf('profile', login), planOf },
  windowsOf,
  windowsFromHeaders,
  readStatusMessage,
  refusalIn,
}

/** A key of the paid API has no plan, and its query would be refused as a bad login is. */
const authFileSchema = v.object({
  access_token: v.pipe(v.string(), v.regex(/^(?!sk-ant-api)[\x21-\x7e]+$/)),
  type: v.literal('claude'),
  disabled: v.optional(v.boolean(), false),
})

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
