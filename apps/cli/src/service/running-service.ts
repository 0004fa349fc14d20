import {
  type AccountFilter,
  type Client,
  ClientError,
  type ClientOptions,
  createClient,
  type ProviderFilter,
} from '@svc/client'
import { resolveConfig, serviceUrl, URL_HEADERS_FILE_ENV } from '@svc/config'
import { secretFileProblems } from '@svc/secret-files'
import { type CliContext, EXIT, usageError } from '../program/cli-context.ts'
import {
  configInput,
  durationMs,
  listOf,
  type ParsedOptions,
  wrongValue,
} from '../program/flags.ts'
import { type Outcome, printed } from '../program/outcome.ts'
import { pathIn } from '../program/store-location.ts'

/** `Name: value`, in characters that every server accepts. */
const HEADER = /^([!#$%&'*+.^_`|~\w-]+):[\t ]*([\t\x20-\x7e]*)$/
/** Headers that control the transfer of a message; a header file may not set them. */
const FRAMING = /^(?:connection|content-length|expect|transfer-encoding|upgrade)$/i

/** Headers from the given file for a login in front of the service; empty without a file. Throws ConfigError, which repeats no value. */
async function serviceHeaders(
  { headerFile }: ParsedOptions,
  context: CliContext,
): Promise<Readonly<Record<string, string>>> {
  const [what, given] =
    headerFile === undefined
      ? [URL_HEADERS_FILE_ENV, context.env[URL_HEADERS_FILE_ENV]]
      : ['--header-file', headerFile.at(-1)]
  const path = pathIn(context, given)
  if (path === null) return {}
  const { readSecretFile } = await import('@svc/secret-files')
  const reading = await readSecretFile(path)
  const wrong = (why: string) => wrongValue(`${what}: ${path} ${why}`)
  if (reading.kind === 'problem') throw wrong(secretFileProblems[reading.reason][0])
  if (reading.readableByOthers) throw wrong('can be read by other users: chmod 600 keeps it')
  const headers: Record<string, string> = {}
  for (const [at, line] of reading.text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [, name = '', value = ''] = HEADER.exec(line) ?? []
    if (name === '') throw wrong(`line ${at + 1}: a header as Name: value is needed`)
    if (FRAMING.test(name)) throw wrong(`line ${at + 1}: ${name} is set by the program alone`)
    if (Object.hasOwn(headers, name.toLowerCase()))
      throw wrong(`line ${at + 1}: ${name} is there already`)
    headers[name.toLowerCase()] = value.trim()
  }
  return headers
}

/** Options of every command that sends requests to a running service. */
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

/** The filter for the requested providers. */
export function providerFilter({ provider }: ParsedOptions): ProviderFilter {
  return { provider: listOf(provider) }
}

/** The filter for the requested accounts. */
export function accountFilter({ plan, upstream, ...options }: ParsedOptions): AccountFilter {
  return { plan: listOf(plan), ...providerFilter(options), upstream: listOf(upstream) }
}

/**
 * Exit code of a command whose answer means `exit`. `kind`: the source of that answer. If the service has not read a pool yet, the code is that for
 * unknown, and the problem is the service's own answer.
 */
export async function asFarAsRead(
  exit: number,
  kind: string | undefined,
  client: Client,
): Promise<Pick<Outcome, 'exit' | 'problem'>> {
  if (kind !== 'unavailable') return { exit }
  const { source, sourceText = '', answer } = await client.health()
  return source === kind ? { exit: EXIT.unknown, problem: answer?.text ?? sourceText } : { exit }
}

/**
 * Sends requests with `ask` and prints the outcome, or the reason for a missing answer in one line. Resolves with the exit code. Throws ConfigError.
 */
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
