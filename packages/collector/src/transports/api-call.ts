import type { Account } from '@svc/core'
import { type ManagementAccess, providerRowOf, type SourceFailureCode } from '@svc/core/service'
import * as v from 'valibot'
import type {
  AskedVendor,
  ProbeResult,
  Provider,
  QuotaRequest,
} from '../providers/contract/provider.ts'
import { headerTextsOf } from '../providers/contract/statements.ts'
import { asksPlugin, pluginVendor } from '../providers/known-providers.ts'
import { pluginFailureOf, pluginQuotaOf } from '../providers/plugin/quota-fetch.ts'
import type { ManagementGate } from '../proxy/management-access.ts'
import type { UpstreamClient } from '../proxy/upstream-client.ts'
import {
  UpstreamError,
  type UpstreamFailureCode,
  upstreamErrorOf,
} from '../proxy/upstream-error.ts'
import {
  askBankedList,
  askPlan,
  askQuota,
  failureAtVendor,
  type SendToVendor,
} from './ask-vendor.ts'
import {
  anyProvider,
  type QueriedProvider,
  type QuotaTransport,
  queried,
  withPlugins,
} from './quota-transport.ts'

/** Placeholder that the proxy replaces with the account's token, so the token never enters this process. See docs/upstream.md#forwarded-calls. */
const TOKEN_PLACEHOLDER = '$TOKEN$'

const answerSchema = v.object({
  status_code: v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(599)),
  header: v.fallback(v.record(v.string(), v.unknown()), {}),
  body: v.unknown(),
})

/** Creates a transport through the proxy. Each account needs an `auth_index`; with an unknown index the proxy would send the placeholder itself. */
export function createApiCallTransport(
  client: UpstreamClient,
  gate: ManagementGate,
  queriedProvider: QueriedProvider = anyProvider,
): QuotaTransport {
  const senderTo =
    (provider: Provider, { selector }: Account, stop: AbortSignal): SendToVendor =>
    async ({ url, headers, body: data, limits }: QuotaRequest) => {
      const request = {
        auth_index: selector.authIndex,
        method: data === undefined ? 'GET' : 'POST',
        url,
        header: headers,
        ...(data === undefined ? {} : { data }),
      }
      const { seconds, answerBytesMax } = limits ?? provider.politeness
      const call = { stop, seconds, bytesMax: answerBytesMax }
      const answer = await gate
        .call((key) => client.post('forward', request, { ...call, key }))
        .catch((error) => failureOfOneAccount(error, provider))
      if ('kind' in answer) return answer
      const parsed = v.safeParse(answerSchema, answer.body)
      if (!parsed.success)
        throw new UpstreamError('bad_payload', 'api-call: expected a status, headers and a body')
      const { status_code: status, header, body } = parsed.output
      const texts = headerTextsOf(header)
      return {
        status,
        headers: { get: (name) => texts.get(name) ?? null },
        body: typeof body === 'string' ? body : JSON.stringify(body ?? null),
        receivedAt: answer.receivedAt,
      }
    }
  /** Queries the plugin through the proxy. The plugin's quota includes the plan. */
  const askPlugin = async (
    { provider, selector }: Account,
    stop: AbortSignal,
  ): Promise<ProbeResult> => {
    const vendor = pluginVendor(provider)
    const { seconds, answerBytesMax: bytesMax } = vendor.politeness
    const request = { auth_index: selector.authIndex }
    const answer = await gate
      .call((key) => client.post('pluginQuota', request, { stop, seconds, bytesMax, key }))
      .catch((error) => failureOfPlugin(upstreamErrorOf(error), vendor))
    if ('kind' in answer) return answer
    const sample = pluginQuotaOf(answer.body, answer.receivedAt)
    return sample === null
      ? { kind: 'failed', code: 'bad_payload', httpStatus: 200 }
      : { kind: 'sample', sample }
  }
  /** Parts of a query of the vendor: its provider, the login and the way to it. */
  const asking = (account: Account, stop: AbortSignal) => {
    const provider = queried(queriedProvider, account)
    const { vendorAccountId } = account
    const login = { bearer: TOKEN_PLACEHOLDER, vendorAccountId }
    return [provider, login, senderTo(provider, account, stop)] as const
  }

  return {
    endpointOf: (account) => (asksPlugin(account) ? 'quota-fetch' : 'api-call'),
    ready: () => gate.access().kind === 'accepted',
    refusal: () => refusalOf(gate.access()),
    canQuery: (account) =>
      withPlugins(queriedProvider)(account) !== null && account.selector.authIndex !== '',
    query: async (account, stop) =>
      asksPlugin(account) ? askPlugin(account, stop) : askQuota(...asking(account, stop)),
    queryPlan: async (account, stop) => askPlan(...asking(account, stop)),
    queryBankedList: async (account, stop) => askBankedList(...asking(account, stop)),
  }
}

function refusalOf(access: ManagementAccess): SourceFailureCode | null {
  switch (access.kind) {
    case 'accepted':
    case 'unproven':
      return null
    case 'no_key':
    case 'unreadable_key':
      return 'no_key'
    case 'refused':
      return access.failure
    case 'banned':
      return 'banned'
    default:
      return access satisfies never
  }
}

/** A timeout may have occurred at the vendor; any other broken connection is the proxy's. */
const OF_VENDOR: ReadonlySet<UpstreamFailureCode> = new Set<UpstreamFailureCode>(['timeout'])

/**
 * Failure of one account: 400 for a file without a token or with a token that cannot be refreshed, 502 for a network failure behind the proxy. Any
 * other refusal is the proxy's own. See docs/upstream.md#forwarded-calls.
 */
function failureOfOneAccount(error: unknown, provider: Provider): ProbeResult {
  const failure = upstreamErrorOf(error)
  const { code, httpStatus } = failure
  const { refusalsApartMs } = providerRowOf(provider.id)
  // A failed refresh may be a race, so it is no refusal where a single one condemns the login.
  if (httpStatus === 400 && failure.saysRefreshFailed && refusalsApartMs > 0)
    return { kind: 'auth', httpStatus }
  if (httpStatus === 400 || httpStatus === 502) return { kind: 'failed', code, httpStatus: null }
  return failureAtVendor(failure, provider, OF_VENDOR)
}

/** Status codes of refusals that concern one account or its plugin; any other failure is the proxy's own. */
const OF_PLUGIN: ReadonlySet<number> = new Set([400, 404, 501, 502])

function failureOfPlugin(failure: UpstreamError, vendor: AskedVendor): ProbeResult {
  const { code, httpStatus } = failure
  return httpStatus !== null && OF_PLUGIN.has(httpStatus) && code !== 'management_disabled'
    ? pluginFailureOf(httpStatus)
    : failureAtVendor(failure, vendor, OF_VENDOR)
}
