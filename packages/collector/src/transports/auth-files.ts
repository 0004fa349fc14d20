import type { Account } from '@svc/core'
import type { Clock } from '@svc/core/service'
import { isUntrusted, readAuthFile, type SecretFileReading } from '@svc/secret-files'
import type {
  ProbeResult,
  Provider,
  StoredLogin,
  VendorAnswer,
} from '../providers/contract/provider.ts'
import { readBodyText } from '../proxy/answer-body.ts'
import { type RequestDeps, sendRequest } from '../proxy/request.ts'
import {
  UpstreamError,
  type UpstreamFailureCode,
  upstreamErrorOf,
} from '../proxy/upstream-error.ts'
import { documentOf } from '../wire/wire-fields.ts'
import {
  askBankedList,
  askPlan,
  askQuota,
  FAILED_LIST,
  failureAtVendor,
  type SendToVendor,
} from './ask-vendor.ts'
import {
  anyProvider,
  type QueriedProvider,
  type QuotaTransport,
  queried,
} from './quota-transport.ts'

/** Wait before a file is read again: the proxy rewrites files in place, so a reading may be incomplete. See docs/upstream.md#auth-files. */
const REREAD_MS = 200

/** Codes of connection failures that concern one vendor. */
const OF_VENDOR: ReadonlySet<UpstreamFailureCode> = new Set<UpstreamFailureCode>([
  'timeout',
  'unreachable',
  'dns',
  'tls',
])

/** Creates a transport that queries the vendor directly, with the token from the account's file in `authDir`. */
export function createAuthFilesTransport(
  authDir: string,
  deps: RequestDeps,
  queriedProvider: QueriedProvider = anyProvider,
): QuotaTransport {
  const { clock } = deps
  const senderTo =
    (provider: Provider, stop: AbortSignal): SendToVendor =>
    ({ url, headers, body, limits }) => {
      const { seconds, answerBytesMax } = limits ?? provider.politeness
      return sendRequest(
        {
          url,
          headers,
          body,
          redirect: 'error',
          seconds,
          stop,
          attemptsMax: 1,
          read: async (response): Promise<VendorAnswer | ProbeResult> => ({
            status: response.status,
            headers: response.headers,
            body: await readBodyText(response, answerBytesMax),
            receivedAt: clock.now(),
          }),
        },
        deps,
      ).catch((error) => failureAtVendor(upstreamErrorOf(error), provider, OF_VENDOR))
    }
  /** The login of an account, or the reason it cannot be used. */
  const loginOf = async (provider: Provider, account: Account, isDiagnostic: boolean) => {
    if (account.operatorDisabled && !isDiagnostic)
      throw new UpstreamError('unsupported', 'a disabled account is only queried for diagnosis')
    const login = await readLogin(provider, authDir, account.selector.authName, clock)
    if (login === 'untrusted') return unusable('file_untrusted')
    if (login === null || (login.disabled && !isDiagnostic)) return unusable('bad_payload')
    return { ...login, vendorAccountId: login.vendorAccountId ?? account.vendorAccountId }
  }

  return {
    endpointOf: (account) => queried(queriedProvider, account).endpoint,
    ready: () => true,
    refusal: () => null,
    canQuery: (account) => queriedProvider(account) !== null,
    async query(account, stop, isDiagnostic) {
      const provider = queried(queriedProvider, account)
      const login = await loginOf(provider, account, isDiagnostic)
      return 'kind' in login ? login : askQuota(provider, login, senderTo(provider, stop))
    },
    async queryPlan(account, stop) {
      const provider = queried(queriedProvider, account)
      const login = await loginOf(provider, account, false)
      return 'kind' in login ? login : askPlan(provider, login, senderTo(provider, stop))
    },
    async queryBankedList(account, stop) {
      const provider = queried(queriedProvider, account)
      const login = await loginOf(provider, account, false)
      return 'kind' in login
        ? FAILED_LIST
        : askBankedList(provider, login, senderTo(provider, stop))
    },
  }
}

function unusable(code: 'file_untrusted' | 'bad_payload'): ProbeResult {
  return { kind: 'failed', code, httpStatus: null }
}

/**
 * Reads the login in a file; null if the file is missing, unreadable or belongs to another provider. A file that other users could change is not
 * used.
 */
async function readLogin(
  provider: Provider,
  authDir: string,
  authName: string,
  clock: Clock,
): Promise<StoredLogin | 'untrusted' | null> {
  const first = await readAuthFile(authDir, authName)
  if (first.kind === 'problem' && isUntrusted(first.reason)) return 'untrusted'
  const document = parsedJson(first)
  if (document !== undefined) return provider.loginOf(document)
  await new Promise<void>((resolve) => void clock.schedule(REREAD_MS, resolve))
  return provider.loginOf(parsedJson(await readAuthFile(authDir, authName)))
}

function parsedJson(reading: SecretFileReading): unknown {
  return reading.kind === 'text' ? documentOf(reading.text) : undefined
}
