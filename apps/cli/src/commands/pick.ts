import type { Client, Pick, PickRequest } from '@svc/client'
import { ConfigError } from '@svc/config'
import type { Clock } from '@svc/core/service'
import { durationText } from '@svc/views/format'
import { type CliContext, EXIT, usageError } from '../program/cli-context.ts'
import { isOn, listsGiven, type ParsedOptions, textsGiven } from '../program/flags.ts'
import { printable } from '../redact/printable.ts'
import { accountFilter } from '../service/account-filter.ts'
import { durationMs } from '../service/duration.ts'
import { askService } from '../service/running-service.ts'

/** Prints the account for the next request. Resolves with the exit code: failed if none may be used. Throws ConfigError. */
export async function pick(options: ParsedOptions, context: CliContext): Promise<number> {
  const given = textsGiven(['as', 'failed', 'format', 'keep'], context)
  const { as, failed, format = '{authName}' } = given
  if (failed !== undefined && as === undefined)
    return usageError(context, '--failed needs --as <name>, by which the service remembers it')
  const fill = filling(format)
  const waitMs = options.wait === undefined ? 0 : durationMs('--wait', options.wait)
  const request: PickRequest = {
    ...(given.keep === undefined ? {} : { keep: given.keep }),
    ...(as === undefined ? {} : { as }),
    ...listsGiven(['avoid'], context),
    ...accountFilter(context),
  }

  return await askService(options, context, async (client) => {
    // Reported once: another report would keep the account away after its return.
    const first = await client.pick(failed === undefined ? request : { ...request, failed })
    const answer =
      first.item === null && waitMs > 0
        ? await pickInTime(client, request, { waitMs, clock: context.clock })
        : first
    if (isOn(options.json)) context.stdout(`${JSON.stringify(answer, null, 2)}\n`)
    else if (answer.item !== null) context.stdout(`${printable(fill(answer, answer.item))}\n`)
    if (answer.item !== null) return EXIT.ok
    context.stderr(`svc-quota-monitor: ${printable(answer.text)} ${returnText(answer)}\n`)
    return EXIT.failed
  })
}

/** Asks again whenever the pool may have changed, until an account may be used or the time is over. Resolves with the last answer. */
async function pickInTime(
  client: Client,
  request: PickRequest,
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

/** Texts of the names in a format. */
const PLACEHOLDERS: Readonly<Record<string, (answer: Pick, item: Item) => string | undefined>> = {
  authName: (_, { selector }) => selector.authName,
  accountKey: (_, { accountKey }) => accountKey,
  authIndex: (_, { authIndex }) => authIndex,
  title: (_, { title }) => title,
  plan: (_, { planKind }) => planKind,
  score: (_, { routingScore }) => String(routingScore),
  provider: (_, { provider }) => provider,
  upstream: (_, { upstream }) => upstream,
  text: ({ text }) => text,
}

const placeholder = /\{(\w+)\}/g

/** Fills a format; what the answer does not have is empty. Throws ConfigError for a name that is none. */
function filling(format: string): (answer: Pick, item: Item) => string {
  const names = Object.keys(PLACEHOLDERS)
  const unknown = [...format.matchAll(placeholder)].find(([, name = '']) => !names.includes(name))
  if (unknown !== undefined)
    throw new ConfigError({
      code: 'invalid_value',
      message: `--format: there is no ${unknown[0]}: ${names.map((name) => `{${name}}`).join(', ')}`,
    })
  return (answer, item) =>
    format.replace(placeholder, (_, name: string) => PLACEHOLDERS[name]?.(answer, item) ?? '')
}
