import { type CliContext, EXIT } from '../program/cli-context.ts'
import { choiceOf, isOn, type ParsedOptions } from '../program/flags.ts'
import { colouring } from '../program/terminal.ts'
import { asFarAsRead, askService, providerFilter } from '../service/running-service.ts'
import { plainTableOf, type TopPool, topSorts } from '../top/top-frame.ts'
import { watchPool } from '../top/watch-pool.ts'

/** Shows the pool until the user quits, or prints it once if the terminal is not interactive. Resolves with the exit code. Throws ConfigError. */
export async function top(options: ParsedOptions, context: CliContext): Promise<number> {
  const sort = choiceOf('--sort', options.sort, topSorts)
  const filter = providerFilter(options)
  return await askService(options, context, async (client) => {
    const { clock, env } = context
    const terminal = env.TERM === 'dumb' ? null : context.terminal
    const paint = colouring({ stdoutIsTerminal: terminal !== null, env })
    const status = () => client.status(filter)
    const pool: TopPool = { status: await status(), now: clock.now(), trouble: null }
    if (terminal === null || isOn(options.once)) {
      const columns = terminal?.size().columns ?? Number.POSITIVE_INFINITY
      const text = () => plainTableOf(pool, sort, columns, paint)
      return { text, ...(await asFarAsRead(EXIT.ok, pool.status.source, client)) }
    }
    await watchPool(pool, sort, { client, status, context, terminal, paint })
    // A service that hangs would hold the process for as long as its answer is waited for.
    context.exitNow(EXIT.ok)
    return { exit: EXIT.ok }
  })
}
