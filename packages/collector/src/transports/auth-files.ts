import type { Clock } from '@svc/core'
import * as v from 'valibot'
import { readAuthFile } from '../files/local-files.ts'
import {
  CODEX_USAGE_URL,
  codexUsageHeaders,
  probeResultOf,
  QUERY_SECONDS,
  type QuotaTransport,
  USAGE_BYTES_MAX,
} from '../providers/contract/probe-result.ts'
import { readText } from '../proxy/answer-body.ts'
import { withinDeadline } from '../proxy/deadline.ts'
import type { UpstreamDeps } from '../proxy/upstream-client.ts'
import { UpstreamError, upstreamErrorOf } from '../proxy/upstream-error.ts'

/** The token is only ever sent, never renewed: refresh tokens are single use, and a second refresher logs the account out. */
const authFileSchema = v.object({
  access_token: v.pipe(v.string(), v.regex(/^[\x21-\x7e]+$/)),
  account_id: v.optional(v.nullable(v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,128}$/)))),
  type: v.optional(v.literal('codex')),
  disabled: v.optional(v.boolean(), false),
})
type AuthFile = v.InferOutput<typeof authFileSchema>

/** The proxy rewrites its files in place, so one may be seen half written. Source: upstream contract 6.2. */
const REREAD_MS = 200

/** Asks the vendor itself, with the token from the account's own file in `authDir`. */
export function createAuthFilesTransport(authDir: string, { clock, fetch }: UpstreamDeps): QuotaTransport {
  return {
    endpoint: 'wham-usage',
    ready: () => true,
    refusal: () => null,
    canQuery: () => true,
    async query(account, stop, isDiagnostic) {
      if (account.operatorDisabled && !isDiagnostic)
        throw new UpstreamError('unsupported', 'a disabled account is only queried for diagnosis')
      const file = await readLogin(authDir, account.selector.authName, clock)
      if (file === null || (file.disabled && !isDiagnostic)) return { kind: 'failed', code: 'bad_payload', httpStatus: null }
      const headers = codexUsageHeaders(file.access_token, file.account_id ?? account.vendorAccountId)
      try {
        return await withinDeadline(clock, { seconds: QUERY_SECONDS, stop }, async (signal) => {
          const response = await fetch(CODEX_USAGE_URL, {
            headers: { ...headers, 'Accept-Encoding': 'identity' },
            redirect: 'error',
            signal,
          })
          const body = await readText(response, USAGE_BYTES_MAX)
          return probeResultOf({ status: response.status, headers: response.headers, body, receivedAt: clock.now() })
        })
      } catch (error) {
        throw upstreamErrorOf(error)
      }
    },
  }
}

/** The login in a file, null when there is none to use: no such file, not readable or of another provider. */
async function readLogin(authDir: string, authName: string, clock: Clock): Promise<AuthFile | null> {
  const first = parsedJson(await readAuthFile(authDir, authName))
  if (first === undefined) await new Promise<void>((resolve) => void clock.schedule(REREAD_MS, resolve))
  const parsed = v.safeParse(authFileSchema, first ?? parsedJson(await readAuthFile(authDir, authName)))
  return parsed.success ? parsed.output : null
}

/** Undefined when the text is no JSON. */
function parsedJson(text: string | null): unknown {
  try {
    return text === null ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}
