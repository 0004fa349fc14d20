import type { Clock } from '@svc/core/service'
import { isUntrusted, readAuthFile, type SecretFileReading } from '@svc/secret-files'
import type { Provider, StoredLogin } from '../providers/contract/provider.ts'
import { providerOf } from '../providers/known-providers.ts'
import { readText } from '../proxy/answer-body.ts'
import { type RequestDeps, sendRequest } from '../proxy/request.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import type { QuotaTransport } from './quota-transport.ts'

/** Wait before a file is read again: the proxy rewrites its files in place, so one may be read half written. See docs/upstream.md#auth-files. */
const REREAD_MS = 200

/** Creates a transport that queries the vendor directly, with the token from the account's file in `authDir`. */
export function createAuthFilesTransport(authDir: string, deps: RequestDeps): QuotaTransport {
  const { clock } = deps
  return {
    endpointOf: (account) => providerOf(account).endpoint,
    ready: () => true,
    refusal: () => null,
    canQuery: () => true,
    async query(account, stop, isDiagnostic) {
      if (account.operatorDisabled && !isDiagnostic)
        throw new UpstreamError('unsupported', 'a disabled account is only queried for diagnosis')
      const provider = providerOf(account)
      const login = await readLogin(provider, authDir, account.selector.authName, clock)
      if (login === 'untrusted') return { kind: 'failed', code: 'file_untrusted', httpStatus: null }
      if (login === null || (login.disabled && !isDiagnostic))
        return { kind: 'failed', code: 'bad_payload', httpStatus: null }
      const { url, headers } = provider.quotaRequest({
        ...login,
        vendorAccountId: login.vendorAccountId ?? account.vendorAccountId,
      })
      const { seconds, answerBytesMax } = provider.politeness
      return sendRequest(
        {
          url,
          headers,
          redirect: 'error',
          seconds,
          stop,
          attemptsMax: 1,
          async read(response) {
            const body = await readText(response, answerBytesMax)
            return provider.windowsOf({
              status: response.status,
              headers: response.headers,
              body,
              receivedAt: clock.now(),
            })
          },
        },
        deps,
      )
    },
  }
}

/** Reads the login in a file; null if the file is missing, unreadable or another provider's. A file that others could change is not used. */
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

/** The parsed file; undefined if it is not JSON. */
function parsedJson(reading: SecretFileReading): unknown {
  try {
    return reading.kind === 'text' ? (JSON.parse(reading.text) as unknown) : undefined
  } catch {
    return undefined
  }
}
