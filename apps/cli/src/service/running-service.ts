import {
  type AccountFilter,
  type Client,
  ClientError,
  type ClientOptions,
  createClient,
  type ProviderFilter,
} from '@svc/client'
import { resolveConfig, serviceUrl } from '@svc/config'
import { type CliContext, EXIT, usageError } from '../program/cli-context.ts'
import {
  configInput,
  durationMs,
  listOf,
  type ParsedOptions,
  wrongValue,
} from '../program/flags.ts'
import { type Outcome, printed } from '../program/outcome.ts'
import { serviceHeaders } from './header-file.ts'

/** Options of every command that asks a running service. */
export const SERVICE_OPTIONS = {
  '--url <address>':
    'Address of the running service. Left out: host and port of the configuration.',
  '--config <path>': 'Configuration file to read host and port from.',
  '--header-file <path>':
    'File with headers, as `Name: value` a line, for a login in front of the service; for its owner alone. Also SVC_QUOTA_MONITOR_URL_HEADERS_FILE.',
  '--timeout <duration>': 'Longest wait for an answer, as 500ms, 5s or 1m. Left out: 5s.',
} as const

/** Option of a command about the pools of some providers. */
export const PROVIDER_OPTION = {
  '--provider <providers>':
    'Accounts of these providers, as claude,kimi, or all. Left out: codex, or without it the one with most accounts.',
} as const

/** Options that limit a command to some accounts. */
export const FILTER_OPTIONS = {
  '--plan <plans>': 'Only accounts of these plans, as plus,pro.',
  ...PROVIDER_OPTION,
  '--upstream <names>': 'Only accounts of these proxies of the configuration.',
} as const

/** The providers that are asked for. */
export function providerFilter({ provider }: ParsedOptions): ProviderFilter {
  return { provider: listOf(provider) }
}

/** The accounts that these options leave. */
export function accountFilter({ plan, upstream, ...options }: ParsedOptions): AccountFilter {
  return { plan: listOf(plan), ...providerFilter(options), upstream: listOf(upstream) }
}

/** Exit code of a command whose answer is `exit`, and why it is not known, by the service's own words, where that has read no pool yet. */
export function asFarAsRead(
  exit: number,
  { kind, text = '' }: { readonly kind?: string | undefined; readonly text?: string | undefined },
): Pick<Outcome, 'exit' | 'problem'> {
  return kind === 'unavailable' ? { exit: EXIT.unknown, problem: text } : { exit }
}

/** Asks the service and prints the outcome of `ask`, or in one line why there is no answer. Resolves with the exit code. Throws ConfigError. */
export async function askService(
  options: ParsedOptions,
  context: CliContext,
  ask: (client: Client, url: string) => Promise<Outcome>,
): Promise<number> {
  const url =
    options.url?.at(-1) ?? serviceUrl(resolveConfig(configInput(options, context)).config.server)
  const timeoutMs = durationMs('--timeout', options.timeout)
  const headers = await serviceHeaders(options, context)
  const client = clientAt({ url, timeoutMs, headers }, context)
  try {
    return printed(await ask(client, url), options, context)
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    const { refusal } = error
    const allowed = refusal?.allowed.join(', ') ?? ''
    const isNamed = error.message.includes(allowed)
    const message = isNamed ? error.message : `${error.message.replace(/\.$/, '')}: ${allowed}`
    const isLogin = refusal?.status === 401 && refusal.slug === null
    const code = usageError(
      context,
      isLogin ? `${message}: --header-file names its headers` : message,
    )
    return refusal !== null && refusal.status < 500 ? code : EXIT.unreachable
  }
}

function clientAt(options: Omit<ClientOptions, 'fetch'>, { serviceFetch }: CliContext) {
  try {
    return createClient({ ...options, fetch: serviceFetch })
  } catch {
    throw wrongValue('--url: an address as http://127.0.0.1:4515, without a login, is needed')
  }
}
