import type { Clock } from '@svc/core/service'
import { readAuthFile } from '../files/local-files.ts'
import type { Provider, StoredLogin } from '../providers/contract/provider.ts'
import { providerOf } from '../providers/known-providers.ts'
import { readText } from '../proxy/answer-body.ts'
import { type RequestDeps, sendRequest } from '../proxy/request.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import type { QuotaTransport } from './quota-transport.ts'

/** The proxy rewrites its files in place, so one may be seen half written. See docs/upstream.md#auth-files. */
const REREAD_MS = 200

/** Asks the vendor itself, with the token from the account's own file in `authDir`. */
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

/** The login in a file, null when there is none to use: no such file, not readable or of another provider. */
async function readLogin(
  provider: Provider,
  authDir: string,
  authName: string,
  clock: Clock,
): Promise<StoredLogin | null> {
  const first = parsedJson(await readAuthFile(authDir, authName))
  if (first === undefined)
    await new Promise<void>((resolve) => void clock.schedule(REREAD_MS, resolve))
  return provider.loginOf(first ?? parsedJson(await readAuthFile(authDir, authName)))
}

/** Undefined unless the text is JSON. */
function parsedJson(text: string | null): unknown {
  try {
    return text === null ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}
