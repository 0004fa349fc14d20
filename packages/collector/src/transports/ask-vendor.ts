import type { SourceFailureCode } from '@svc/core/service'
import type {
  AskedVendor,
  ProbeResult,
  Provider,
  QuotaRequest,
  VendorAnswer,
  VendorLogin,
} from '../providers/contract/provider.ts'
import { failureOf } from '../providers/contract/quota-answer.ts'
import type { UpstreamError, UpstreamFailureCode } from '../proxy/upstream-error.ts'
import type { BankedListResult, PlanResult } from './quota-transport.ts'

/**
 * Sends one request about an account. Returns a result instead of an answer if this account cannot be queried. Throws UpstreamError if the connection
 * failed.
 */
export type SendToVendor = (request: QuotaRequest) => Promise<VendorAnswer | ProbeResult>

/** Queries the quota of one account at the vendor's first address, and at the others in turn while one fails or reports nothing. */
export async function askQuota(
  provider: Provider,
  login: VendorLogin,
  send: SendToVendor,
): Promise<ProbeResult> {
  const ask = async (request: QuotaRequest) => {
    const answer = await send(request)
    return isResult(answer) ? answer : provider.windowsOf(answer)
  }
  let result = await ask(provider.quotaRequest(login))
  for (const request of provider.otherQuotaRequests?.(login) ?? []) {
    if (!isWorthAnother(result)) break
    const other = await ask(request)
    // An empty report is better than none.
    if (result.kind !== 'sample' || !SAYS_NOTHING.has(other.kind)) result = other
  }
  return result
}

/** Queries the plan of one account; null if its vendor has no plan query. */
export async function askPlan(
  provider: Provider,
  login: VendorLogin,
  send: SendToVendor,
): Promise<PlanResult> {
  const { planQuery } = provider
  if (planQuery === undefined) return null
  const answer = await send(planQuery.request(login))
  if (isResult(answer)) return answer
  return answer.status === 200 ? planQuery.planOf(answer) : failureOf(answer)
}

export const FAILED_LIST: BankedListResult = { outcome: 'failed', expiresAt: null }

/** Queries the banked resets of one account, one by one. A refusal says nothing about the login. */
export async function askBankedList(
  { bankedList }: Provider,
  login: VendorLogin,
  send: SendToVendor,
): Promise<BankedListResult> {
  if (bankedList === undefined) return FAILED_LIST
  const answer = await send(bankedList.request(login))
  if (isResult(answer)) return FAILED_LIST
  if (answer.status === NOT_FOUND) return { outcome: 'missing', expiresAt: null }
  const expiresAt = answer.status === 200 ? bankedList.expiriesOf(answer) : null
  return expiresAt === null ? FAILED_LIST : { outcome: 'answered', expiresAt }
}

/**
 * Treats a broken connection as the failure of one account if its vendor has a budget, so that it does not delay queries of other vendors.
 * `ofVendor`: codes that say nothing about connections to other vendors. Throws any other error.
 */
export function failureAtVendor(
  error: UpstreamError,
  { politeness: { budget } }: AskedVendor,
  ofVendor: ReadonlySet<UpstreamFailureCode>,
): ProbeResult {
  if (budget === null || !ofVendor.has(error.code)) throw error
  return { kind: 'failed', code: error.code, httpStatus: null }
}

const SAYS_NOTHING: ReadonlySet<ProbeResult['kind']> = new Set<ProbeResult['kind']>([
  'failed',
  'auth',
  'unavailable',
])

/** Codes of failures to reach one address. `server_error` means that the proxy could not reach it. */
const GAVE_NO_ANSWER: ReadonlySet<string> = new Set<SourceFailureCode>([
  'timeout',
  'unreachable',
  'dns',
  'tls',
  'server_error',
])
const NOT_FOUND = 404

function isWorthAnother(result: ProbeResult): boolean {
  if (result.kind === 'sample') return result.sample.reportsNone === true
  if (result.kind !== 'failed') return false
  const { httpStatus, code } = result
  return httpStatus === null
    ? GAVE_NO_ANSWER.has(code)
    : httpStatus === NOT_FOUND || httpStatus >= 500
}

function isResult(answer: VendorAnswer | ProbeResult): answer is ProbeResult {
  return 'kind' in answer
}
