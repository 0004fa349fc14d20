import { resolveConfig } from '@svc/config'
import { sendTest } from '@svc/notify'
import { languageOf } from '@svc/views/language'
import { catalogueOf, clauseOf, notifyConditions } from '@svc/views/messages'
import { type CliContext, EXIT, usageError } from '../program/cli-context.ts'
import { configInput, isOn, type ParsedOptions } from '../program/flags.ts'
import { printed } from '../program/outcome.ts'

/**
 * Sends a test message to every target or to the named one, and prints each result. Resolves with the exit code, which is a failure if any message
 * was not delivered. Throws ConfigError.
 */
export async function notify(
  options: ParsedOptions,
  context: CliContext,
  asked?: string,
): Promise<number> {
  if (!isOn(options.test))
    return usageError(context, 'notify needs --test, which sends a message to each target')
  const { config } = resolveConfig(configInput(options, context))
  const { targets } = config.notify
  if (targets.length === 0)
    return usageError(context, 'no [[notify]] table of the configuration names a target')
  const chosen = targets.filter(({ name }) => asked === undefined || name === asked)
  if (chosen.length === 0) {
    const names = targets.map(({ name }) => name).join(', ')
    return usageError(context, `no target is named ${JSON.stringify(asked)}: there are ${names}`)
  }
  const { clock, fetch } = context
  const { test } = catalogueOf(languageOf(config.display.displayLanguage)).notices
  const outcomes = await Promise.all(
    chosen.map(async (target) => {
      const outcome = await sendTest(target, { test }, { clock, fetch })
      return { name: target.name, kind: target.kind, outcome }
    }),
  )
  const exit = outcomes.every(({ outcome }) => outcome === 'sent') ? EXIT.ok : EXIT.failed
  const text = () => outcomes.map(lineOf).join('')
  return printed({ exit, document: { targets: outcomes }, text }, options, context)
}

type Outcome = Awaited<ReturnType<typeof sendTest>>

/** `phone: sent`, or the reason it was not sent and the remedy. */
function lineOf({ name, outcome }: { readonly name: string; readonly outcome: Outcome }): string {
  if (outcome === 'sent') return `${name}: sent\n`
  const { summary, remedy } = notifyConditions[outcome]
  return `${name}: not sent: ${clauseOf(summary)}. ${remedy}\n`
}
