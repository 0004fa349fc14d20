import { type Client, ClientError, createClient } from '@svc/client'
import { ConfigError, resolveConfig } from '@svc/config'
import { type CliContext, EXIT, usageError } from '../program/cli-context.ts'
import { configInput, type ParsedOptions } from '../program/flags.ts'
import { serviceUrl } from '../program/service-url.ts'
import { durationMs } from './duration.ts'

/** Options of every command that asks a running service. */
export const SERVICE_OPTIONS = [
  [
    '--url <address>',
    'Address of the running service. Left out: host and port of the configuration.',
  ],
  ['--config <path>', 'Configuration file to read host and port from.'],
  ['--timeout <duration>', 'Longest wait for an answer, as 500ms, 5s or 1m. Left out: 5s.'],
] as const

/** Resolves with the exit code of `ask`, which is given the address of the service too, or of why the service gave no answer, which one line on stderr says. Throws ConfigError. */
export async function askService(
  options: ParsedOptions,
  context: CliContext,
  ask: (client: Client, url: string) => Promise<number>,
): Promise<number> {
  const url = addressOf(options, context)
  const client = createClient({
    url,
    fetch: context.serviceFetch,
    ...(options.timeout === undefined
      ? {}
      : { timeoutMs: durationMs('--timeout', options.timeout) }),
  })
  try {
    return await ask(client, url)
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    const { refusal } = error
    const allowed = refusal?.allowed.join(', ') ?? ''
    const isNamed = error.message.includes(allowed)
    const message = isNamed ? error.message : `${error.message.replace(/\.$/, '')}: ${allowed}`
    const code = usageError(context, message)
    return refusal !== null && refusal.status < 500 ? code : EXIT.unreachable
  }
}

/** Address of the service as given, else as configured. Throws ConfigError. */
export function addressOf(options: ParsedOptions, context: CliContext): string {
  const given = [options.url].flat().at(-1)
  if (given === undefined)
    return serviceUrl(resolveConfig(configInput(options, context)).config.server)
  const url = URL.canParse(String(given)) ? new URL(String(given)) : null
  if (url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '')
    return String(given)
  throw new ConfigError({
    code: 'invalid_value',
    message: '--url: an address as http://127.0.0.1:4515, without a login, is needed',
  })
}
