import type { Client, Pick } from '@svc/client'
import type { Clock } from '@svc/core/service'
import { durationText, printable } from '@svc/views/format'
import { type CliContext, EXIT, usageError } from '../program/cli-context.ts'
import { durationMs, isOn, listOf, type ParsedOptions, wrongValue } from '../program/flags.ts'
import { accountFilter, asFarAsRead, askService } from '../service/running-service.ts'

/**
 * Prints the account for the next request, or releases one. Resolves with the exit code, which is a failure if no account may be used. Throws
 * ConfigError.
 */
export async function pick(options: ParsedOptions, context: CliContext): Promise<number> {
  const [as, failed, keep] = [options.as, options.failed, options.keep].map((given) =>
    given?.at(-1),
  )
  if (failed !== undefined && as === undefined)
    return usageError(context, '--failed needs --as <name>, by which the service remembers it')
  if (isOn(options.release)) {
    const isAlone = BESIDE_RELEASE.every((name) => options[name] === undefined)
    if (as === undefined || !isAlone)
      return usageError(context, '--release needs --as <name>, and no other option of a pick')
    return await askService(options, context, async (client) => {
      const document = await client.pick({ as, release: true })
      return { exit: EXIT.ok, document, text: () => '' }
    })
  }
  const format = options.format?.at(-1) ?? '{authName}'
  checkFormat(format)
  const waitMs = durationMs('--wait', options.wait) ?? 0
  const request = { keep, as, avoid: listOf(options.avoid), ...accountFilter(options) }

  return await askService(options, context, async (client) => {
    // Reported once: another report would keep the account away after its return.
    const first = await client.pick({ ...request, failed })
    const answer =
      first.item === null && waitMs > 0
        ? await pickInTime(client, request, { waitMs, clock: context.clock })
        : first
    const { item } = answer
    if (item !== null)
      return {
        exit: EXIT.ok,
        document: answer,
        text: () => `${printable(filled(format, answer, item))}\n`,
      }
    const problem = `${answer.text} ${returnText(answer)}`
    const isRead = answer.sampledAt !== null || answer.reason !== 'none_listed'
    const exit = await asFarAsRead(EXIT.failed, isRead ? 'live' : 'unavailable', client)
    return { document: answer, problem, ...exit }
  })
}

/** Options of a pick that make no sense together with `--release`. */
const BESIDE_RELEASE = 'keep avoid failed plan provider upstream wait format'.split(' ')

/** Asks again whenever the pool may have changed, until an account may be used or the time is over. Resolves with the last answer. */
async function pickInTime(
  client: Client,
  request: Parameters<Client['pick']>[0],
  { waitMs, clock }: { readonly waitMs: number; readonly clock: Clock },
): Promise<Pick> {
  const overMs = clock.monotonicMs() + waitMs
  const stop = new AbortController()
  let wake = () => {}
  const following = (async () => {
    for await (const _event of client.events({ signal: stop.signal })) wake()
  })()
  // Waited for below; a failure while the service is asked must not end the process.
  following.catch(() => undefined)
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve
      })
      const answer = await client.pick(request)
      const leftMs = overMs - clock.monotonicMs()
      if (answer.item !== null || leftMs <= 0) return answer
      const nextMs = 1_000 * Math.max(1, answer.nextInSeconds ?? Number.POSITIVE_INFINITY)
      const cancel = clock.schedule(Math.min(leftMs, nextMs), wake)
      await Promise.race([changed, following])
      cancel()
    }
  } finally {
    stop.abort()
  }
}

function returnText({ nextAt, nextInSeconds }: Pick): string {
  if (nextAt == null || nextInSeconds == null) return 'Nobody knows when one returns.'
  return `The next returns in ${durationText(nextInSeconds)} (${nextAt}).`
}

type Item = NonNullable<Pick['item']>

/** Names that a format may hold in braces. */
const NAMES = 'authName accountKey authIndex title plan score provider upstream text'.split(' ')
const placeholder = /\{(\w+)\}/g

/** Throws ConfigError for an unknown placeholder. */
function checkFormat(format: string): void {
  const unknown = [...format.matchAll(placeholder)].find(([, name = '']) => !NAMES.includes(name))
  if (unknown === undefined) return
  const known = NAMES.map((name) => `{${name}}`).join(', ')
  throw wrongValue(`--format: there is no ${unknown[0]}: ${known}`)
}

/** Replaces the placeholders of a format; those without a value become empty. */
function filled(format: string, { text }: Pick, item: Item): string {
  const { selector, planKind: plan, routingScore: score } = item
  const { authName } = selector
  const values: Readonly<Record<string, unknown>> = { ...item, authName, plan, score, text }
  return format.replace(placeholder, (_, name: string) => String(values[name] ?? ''))
}
