import { once } from 'node:events'
import { type Client, ClientError } from '@svc/client'
import type { CliContext } from '../program/cli-context.ts'
import type { Paint, PressedKey, Terminal } from '../program/terminal.ts'
import { frameOf, type TopPool, type TopSort, type TopView, topSorts } from './top-frame.ts'

/** Longest time between two requests; an event of the service triggers one earlier. */
const POLL_MS = 5_000

interface Watch {
  readonly client: Client
  readonly status: () => Promise<TopPool['status']>
  readonly context: CliContext
  readonly terminal: Terminal
  readonly paint: Paint
}

/** Redraws the pool after each answer, key and resize, until the user quits or a signal arrives. */
export async function watchPool(
  first: TopPool,
  sort: TopSort,
  { client, status, context, terminal, paint }: Watch,
) {
  const { clock } = context
  let pool = first
  let view: TopView = { sort, filter: '', typing: false, offset: 0 }
  let pageRows = 0
  let there: readonly string[] = []
  const draw = () => {
    const frame = frameOf({ ...pool, now: clock.now() }, view, terminal.size(), paint)
    view = { ...view, offset: frame.offset }
    pageRows = frame.pageRows
    terminal.write(repainted(frame.lines, there))
    there = frame.lines
  }
  const ended = new AbortController()
  const quit = once(ended.signal, 'abort').then(() => false)
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
  const next = async () => {
    await new Promise<void>((resolve) => {
      wake = resolve
      clock.schedule(POLL_MS, resolve)
    })
    try {
      pool = { status: await status(), now: clock.now(), trouble: null }
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      pool = { ...pool, trouble: error.message }
    }
    return true
  }
  try {
    do draw()
    while (await Promise.race([quit, next()]))
  } finally {
    ended.abort()
    close()
  }
}

/** The view after a key; its offset may lie beyond the ends of the table. Null if the user quits. */
function viewAfter({ name, text }: PressedKey, view: TopView, pageRows: number): TopView | null {
  const { filter, offset, sort, typing } = view
  if (typing && /^\P{Cc}+$/u.test(text)) return { ...view, filter: filter + text, offset: 0 }
  const steps = { up: -1, down: 1, pageup: -pageRows, pagedown: pageRows }
  const step = new Map(Object.entries(steps)).get(name)
  if (step !== undefined) return { ...view, offset: offset + step }
  switch (name) {
    case 'ctrl-c':
      return null
    case 'escape':
      return { ...view, filter: '', typing: false, offset: 0 }
    case 'return':
      return { ...view, typing: false }
    case 'backspace':
      return typing ? { ...view, filter: [...filter].slice(0, -1).join(''), offset: 0 } : view
  }
  if (text === 'q') return null
  if (text === '/') return { ...view, typing: true }
  if (text !== 's') return view
  return { ...view, sort: topSorts[(topSorts.indexOf(sort) + 1) % topSorts.length] ?? sort }
}

/** Control sequence that replaces the lines `there` on the screen in one step. Clears the screen first if `there` is empty. */
function repainted(lines: readonly string[], there: readonly string[]): string {
  const changed = lines.flatMap((line, row) =>
    line === there[row] ? [] : [`\u001b[${row + 1};1H\u001b[2K${line}`],
  )
  return `\u001b[?2026h${there.length === 0 ? '\u001b[2J' : ''}${changed.join('')}\u001b[?2026l`
}
