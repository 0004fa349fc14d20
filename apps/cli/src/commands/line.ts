import { ClientError } from '@svc/client'
import { ConfigError } from '@svc/config'
import { createZone } from '@svc/views/format'
import { type Glance, glanceOf, lostGlance } from '../glance/glance.ts'
import { formatNames, lineFormats } from '../glance/line-formats.ts'
import { type CliContext, EXIT } from '../program/cli-context.ts'
import type { ParsedOptions } from '../program/flags.ts'
import { addressOf, askService } from '../service/running-service.ts'

/** Prints the pool in one line, also where the service gives no answer. Resolves with the exit code; throws ConfigError. */
export async function line(options: ParsedOptions, context: CliContext): Promise<number> {
  const write = lineFormats.get(String([options.format ?? 'plain'].flat().at(-1)))
  if (write === undefined) {
    const message = `--format: one of ${formatNames} is needed`
    throw new ConfigError({ code: 'invalid_value', message })
  }
  const isColoured = (context.env.NO_COLOR ?? '') === ''
  const url = addressOf(options, context)
  const print = (glance: Glance) => context.stdout(`${write(glance, { isColoured, url })}\n`)
  return askService(options, context, async (client) => {
    try {
      const zone = createZone(context.hostTimeZone ?? 'UTC')
      print(glanceOf(await client.health(), context.clock.now(), zone))
      return EXIT.ok
    } catch (error) {
      if (error instanceof ClientError) print(lostGlance(error))
      throw error
    }
  })
}
