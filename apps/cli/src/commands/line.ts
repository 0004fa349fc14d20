import { ClientError } from '@svc/client'
import { createZone, printable } from '@svc/views/format'
import { glanceOf, lostGlance } from '../glance/glance.ts'
import { type Glance, lineFormatNames, lineFormats } from '../glance/pool-words.ts'
import { type CliContext, EXIT } from '../program/cli-context.ts'
import { choiceOf, isOn, type ParsedOptions } from '../program/flags.ts'
import { asFarAsRead, askService, providerFilter } from '../service/running-service.ts'

/** Prints the pool in one line, even if the service does not answer. Resolves with the exit code; throws ConfigError. */
export async function line(options: ParsedOptions, context: CliContext): Promise<number> {
  const write = lineFormats[choiceOf('--format', options.format, lineFormatNames)]
  const isColoured = (context.env.NO_COLOR ?? '') === ''
  return askService(options, context, async (client, url) => {
    const textOf = ({ code, line, details, ...glance }: Glance) =>
      `${write({ ...glance, code: printable(code), line: printable(line), details: details.map(printable) }, isColoured, url)}\n`
    try {
      const zone = createZone(context.hostTimeZone ?? 'UTC')
      const health = await client.health(providerFilter(options))
      const glance = glanceOf(health, context.clock.now(), zone)
      const text = () => textOf(glance)
      if (isOn(options.alive)) return { text, exit: EXIT.ok }
      return { text, ...(await asFarAsRead(EXIT.ok, health.source, client)) }
    } catch (error) {
      if (error instanceof ClientError) context.stdout(textOf(lostGlance(error)))
      throw error
    }
  })
}
