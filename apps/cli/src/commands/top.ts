import { type Client, ClientError } from '@svc/client'
import { ConfigError } from '@svc/config'
import { type CliContext, EXIT } from '../program/cli-context.ts'
import { isOn, type ParsedOptions } from '../program/flags.ts'
import type { Terminal } from '../program/terminal.ts'
import { askService } from '../service/running-service.ts'
import {
  frameOf,
  plainTableOf,
  type TopPool,
  type TopSort,
  type TopView,
  topSorts,
} from '../top/top-frame.ts'
import { viewAfter } from '../top/view-keys.ts'

/** Longest time between two answers; an event of the service makes it shorter. */
const POLL_MS = 5_000

/** Shows the pool until the reader quits, or once where that cannot be. Resolves with the exit code. Throws ConfigError. */
export async function top(options: ParsedOptions, context: CliContext): Promise<number> {
  const sort = sortOf([options.sort].flat().at(-1) ?? topSorts[0])
  return await askService(options, context, async (client) => {
    const { clock, env } = context
    const terminal = env.TERM === 'dumb' ? null : context.terminal
    const colours = terminal !== null && (env.NO_COLOR ?? '') === ''
    const pool: TopPool = { status: await client.status(), now: clock.now(), trouble: null }
    if (terminal === null || isOn(options.once)) {
      const columns = terminal?.size().columns ?? Number.POSITIVE_INFINITY
      context.stdout(plainTableOf(pool, sort, columns, colours))
      return EXIT.ok
    }
    await watch(pool, sort, { client, context, terminal, colours })
    // A service that hangs would hold the process for as long as its answer is waited for.
    context.exitNow(EXIT.ok)
    return EXIT.ok
  })
}

function sortOf(given: unknown): TopSort {
  const sort = topSorts.find((each) => each === String(given))
  if (sort !== undefined) return sort
  throw new ConfigError({
    code: 'invalid_value',
    message: `--sort: one of ${topSorts.join(', ')} is needed`,
  })
}

interface Watch {
  readonly client: Client
  readonly context: CliContext
  readonly terminal: Terminal
  readonly colours: boolean
}

/** Draws the pool anew with each answer, key and size, until the reader quits or a signal ends it. */
async function watch(first: TopPool, sort: TopSort, { client, context, terminal, colours }: Watch) {
  const { clock } = context
  let pool = first
  let view: TopView = { sort, filter: '', typing: false, offset: 0 }
  let pageRows = 0
  let there: readonly string[] = []
  const draw = () => {
    const frame = frameOf({ ...pool, now: clock.now() }, view, terminal.size(), colours)
    view = { ...view, offset: frame.offset }
    pageRows = frame.pageRows
    terminal.write(repainted(frame.lines, there))
    there = frame.lines
  }
  const ended = new AbortController()
  const quit = new Promise<null>((resolve) => {
    ended.signal.addEventListener('abort', () => resolve(null))
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    context.onSignal(signal, () => ended.abort())
  const close = terminal.open({
    key(key) {
      const after = viewAfter(key, view, pageRows)
      if (after === null) return ended.abort()
      view = after
      draw()
    },
    resize() {
      there = []
      draw()
    },
  })
  let wake = () => {}
  const follow = async () => {
    for await (const _event of client.events({ signal: ended.signal })) wake()
  }
  // The poll goes on where a service has no events, or no room for another reader of them.
  follow().catch(() => undefined)
  const next = async (): Promise<TopPool> => {
    await new Promise<void>((resolve) => {
      wake = resolve
      clock.schedule(POLL_MS, resolve)
    })
    try {
      return { status: await client.status(), now: clock.now(), trouble: null }
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      return { ...pool, trouble: error.message }
    }
  }
  try {
    for (
      let answer: TopPool | null = first;
      answer !== null;
      answer = await Promise.race([quit, next()])
    ) {
      pool = answer
      draw()
    }
  } finally {
    ended.abort()
    close()
  }
}

/** Control sequence that replaces the lines `there` on the screen in one step; clears the screen first if there are none. */
function repainted(lines: readonly string[], there: readonly string[]): string {
  const changed = lines.flatMap((line, row) =>
    line === there[row] ? [] : [`\u001b[${row + 1};1H\u001b[2K${line}`],
  )
  return `\u001b[?2026h${there.length === 0 ? '\u001b[2J' : ''}${changed.join('')}\u001b[?2026l`
}
