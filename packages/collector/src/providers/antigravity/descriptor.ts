import { displayText, documentOf, isRecord, recordIn, textFrom } from '../../wire/wire-fields.ts'
import {
  NO_IDENTITY,
  type ProbeResult,
  type Provider,
  tokenLoginIn,
  usualPoliteness,
  type VendorAnswer,
  type VendorLogin,
} from '../contract/provider.ts'
import { readQuotaAnswer } from '../contract/quota-answer.ts'
import {
  blockIn,
  googleErrorOf,
  readStatusMessage,
  refusalIn,
  windowsFromRefusal,
} from './google-error.ts'
import { quotaSummaryOf, unwrapped } from './quota-summary.ts'

/** Google's hosts, in the order in which its own client asks them. See docs/upstream.md#antigravity-quota. */
const [FIRST_HOST, ...OTHER_HOSTS] = [
  'https://daily-cloudcode-pa.googleapis.com',
  'https://daily-cloudcode-pa.sandbox.googleapis.com',
  'https://cloudcode-pa.googleapis.com',
] as const
/** User agent of the vendor's own client. Google refuses old versions of it. */
const USER_AGENT = 'antigravity/cli/1.0.13 (aidev_client; os_type=darwin; arch=arm64)'
const TIER_LENGTH_MAX = 64
const CLIENT = { metadata: { ideType: 'ANTIGRAVITY' } }

/** Google's Antigravity. Each of its windows meters a pool of models; none meters the whole account. */
export const antigravity: Provider = {
  id: 'antigravity',
  endpoint: 'antigravity-quota-summary',
  politeness: usualPoliteness('antigravity', {
    pause: { firstSeconds: 30 * 60, longestSeconds: 30 * 60 },
    // Google blocks whole accounts for use outside its own client; the next query might cost another one.
    revokedStops: true,
  }),
  identityOf: (entry) => ({ ...NO_IDENTITY, vendorAccountId: projectIn(entry) }),
  loginOf(file) {
    const login = tokenLoginIn(file, 'antigravity')
    return login && { ...login, vendorAccountId: projectIn(file) }
  },
  quotaRequest: (login) => summaryRequest(FIRST_HOST, login),
  otherQuotaRequests: (login) => OTHER_HOSTS.map((host) => summaryRequest(host, login)),
  planQuery: {
    everySeconds: 24 * 3600,
    request: ({ bearer }) => requestTo(`${FIRST_HOST}/v1internal:loadCodeAssist`, bearer, CLIENT),
    planOf({ status, body }) {
      const answer = status === 200 ? unwrapped(documentOf(body)) : null
      const tiers = [answer?.paidTier, answer?.currentTier].filter(isRecord)
      const [tier] = tiers.map(({ id }) => textFrom(id)).filter((id) => id !== null)
      if (tier === undefined) return null
      const plan = displayText(tier, TIER_LENGTH_MAX).replace(/-tier$/, '')
      return { plan, vendorIdentity: null }
    },
  },
  windowsOf,
  windowsFromHeaders: () => null,
  windowsFromRefusal,
  readStatusMessage,
  refusalIn,
}

/** The project stored with a login; null if its look-up failed when the account logged in, or if it is no valid id. */
function projectIn(wire: unknown): string | null {
  const { project_id: id } = recordIn(wire)
  return typeof id === 'string' && /^[\x21-\x7e]{1,128}$/.test(id) ? id : null
}

function summaryRequest(host: string, { bearer, vendorAccountId: project }: VendorLogin) {
  const question = project === null ? {} : { project }
  return requestTo(`${host}/v1internal:retrieveUserQuotaSummary`, bearer, question)
}

function requestTo(url: string, bearer: string, question: object) {
  const Authorization = `Bearer ${bearer}`
  const headers = { Authorization, 'Content-Type': 'application/json', 'User-Agent': USER_AGENT }
  return { url, headers, body: JSON.stringify(question) }
}

/** Reads the answer to a summary request. Among Google's refusals (403), a block concerns the login; any other concerns the endpoint. */
function windowsOf(answer: VendorAnswer): ProbeResult {
  const { status: httpStatus, body } = answer
  const result = readQuotaAnswer(answer, quotaSummaryOf)
  if (httpStatus !== 403 || result.kind === 'blocked' || googleErrorOf(body) === null) return result
  if (blockIn(body) !== null) return { kind: 'auth', httpStatus, revoked: true }
  // A refused User-Agent is the same for every account, and cured by an update.
  return /no longer supported/i.test(body) ? result : { kind: 'unavailable', httpStatus }
}
