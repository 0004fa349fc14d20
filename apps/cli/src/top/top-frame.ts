import type { Client } from '@svc/client'
import { type EpochMs, mainWindows, parseInstant, secondsUntil } from '@svc/core'
import { ASSUMED_PROVIDER, perWindow } from '@svc/core/service'
import { countingDurationText, durationText, percentText, printable } from '@svc/views/format'
import { askedPools, isWindowOf, ownWindows, poolText, windowName } from '../glance/pool-words.ts'
import type { Colour, Paint, ScreenSize } from '../program/terminal.ts'
import { columnsOf, cut, padded, wrapped } from '../program/text-columns.ts'

type Status = Awaited<ReturnType<Client['status']>>

const windowIds = mainWindows.map(({ id }) => id)
/** Windows of other providers than Codex; each gets a column if an account has it. */
const furtherIds = ['day', 'month'] as const

/** Orders of the table; the first is the ranking itself. */
export const topSorts = ['score', 'name', ...windowIds, 'reset'] as const
export type TopSort = (typeof topSorts)[number]

/** The pool on display and the time of its state. */
export interface TopPool {
  readonly status: Status
  readonly now: EpochMs
  /** Reason that there is no newer answer; null if this is the newest. */
  readonly trouble: string | null
}

/** State of the view that the user controls. */
export interface TopView {
  readonly sort: TopSort
  /** Text to find in an account's name, file, provider, plan or state; empty to show all accounts. */
  readonly filter: string
  /** Whether the user is typing the filter. */
  readonly typing: boolean
  /** Number of accounts above the first one shown; may be out of range. */
  readonly offset: number
}

/**
 * A whole screen: head, `pageRows` accounts from the returned offset on, and the keys. The offset is limited to the table. No line is wider than the
 * screen.
 */
export function frameOf(pool: TopPool, view: TopView, size: ScreenSize, paint: Paint) {
  const head = headOf(pool, size.columns, paint).slice(0, Math.max(1, size.rows - 5))
  const [names = '', ...accounts] = tableOf(pool, view, size.columns, paint)
  const pageRows = Math.max(0, size.rows - head.length - 2)
  const offset = Math.max(0, Math.min(view.offset, accounts.length - pageRows))
  const page = accounts.slice(offset, offset + pageRows)
  const blank = Array.from({ length: pageRows - page.length }, () => '')
  const range = `${page.length === 0 ? 0 : offset + 1}-${offset + page.length} of ${accounts.length}`
  const keys = paint(cut(keysText(view, range), size.columns), 'dim')
  return { lines: [...head, names, ...page, ...blank, keys].slice(0, size.rows), offset, pageRows }
}

/** Head and all accounts as text, for an output that is not interactive. */
export function plainTableOf(pool: TopPool, sort: TopSort, columns: number, paint: Paint) {
  const view = { sort, filter: '', typing: false, offset: 0 }
  const lines = [...headOf(pool, columns, paint), ...tableOf(pool, view, columns, paint)]
  return lines.map((line) => `${line}\n`).join('')
}

const TONES = { good: 'green', warn: 'yellow', bad: 'red', unknown: 'dim' } as const

function headOf({ status, now, trouble }: TopPool, columns: number, paint: Paint): string[] {
  const { answer, healthState } = status.summary
  const { sampledAt, summary = '' } = status.recommendations
  const readAt = parseInstant(sampledAt ?? '')
  const age =
    readAt === null ? 'not read yet' : `read ${countingDurationText((now - readAt) / 1000)} ago`
  const line = (colour: Colour, text: string) => paint(cut(printable(text), columns), colour)
  const [sentence, tone]: readonly [string, Colour] =
    trouble === null
      ? [answer?.text ?? summary, TONES[answer?.tone ?? healthState]]
      : [`${trouble}; trying again`, 'red']
  const asked = askedPools(status.recommendations)
  const [pool] = asked
  const windows =
    pool === undefined || asked.length > 1
      ? []
      : ownWindows(pool).map((each) => ({ ...each, name: windowName(each, pool, 'label') }))
  const nameColumns = Math.max(...windows.map(({ name }) => columnsOf(name)))
  const windowLines = windows.map(({ name, text = '', tone: ofWindow = 'unknown' }) =>
    line(TONES[ofWindow], `${padded(name, nameColumns)}  ${text}`.trimStart()),
  )
  const poolLines = asked.map((each) =>
    line(each.routable === 0 ? TONES.bad : TONES.unknown, poolText(each)),
  )
  return [
    ...wrapped(printable(sentence), columns).map((part) => line(tone, part)),
    ...(windows.length > 0 ? windowLines : poolLines),
    line('dim', `${age} · ${summary} · ${status.sourceText}`),
  ]
}

function keysText({ sort, filter, typing }: TopView, range: string): string {
  if (typing) return `/${printable(filter)}_  Enter keeps it, Esc clears it`
  const filtered = filter === '' ? '/ filter' : `/${printable(filter)} (Esc clears it)`
  return `${range}  q quit  s by ${sort}  ${filtered}  arrows, PgUp, PgDn`
}

type Item = Status['recommendations']['items'][number]

function isOfCodex({ provider = ASSUMED_PROVIDER }: Item): boolean {
  return provider === ASSUMED_PROVIDER
}

interface Row {
  readonly cells: Readonly<Record<ColumnId, string>>
  readonly colour: Colour
  /** Sort key for each order except the ranking, ascending. */
  readonly order: Readonly<Record<Exclude<TopSort, 'score'>, string | number>>
  readonly fileName: string
}

function rowsOf({ status, now }: TopPool): readonly Row[] {
  const states = status.tabs.pool.accounts.map((account) => account.status)
  return status.recommendations.items.map((item, index) => {
    const { text = '', tone = 'unknown' } = states[index] ?? {}
    const windows = new Map(item.quotaWindows.map((window) => [window.id, window]))
    const percentIn = (id: string) => {
      const { state, reported, stale, percent = null } = windows.get(id) ?? {}
      if (state === 'absent' || reported === false) return '-'
      return percent === null ? '?' : `${stale ? '~' : ''}${percentText(percent)}`
    }
    const furtherIn = (id: (typeof furtherIds)[number]) =>
      isOfCodex(item) || !windows.has(id) ? '' : percentIn(id)
    const resets = item.quotaWindows.flatMap(({ resetAt }) => parseInstant(resetAt ?? '') ?? [])
    const resetAt = parseInstant(item.blockedUntil ?? '') ?? resets.sort((a, b) => a - b)[0] ?? null
    const title = item.upstream === undefined ? item.title : `${item.title} @${item.upstream}`
    return {
      cells: {
        '#': String(index + 1),
        name: printable(title),
        provider: printable(item.provider ?? ''),
        plan: printable(item.badge),
        state: printable(text),
        ...perWindow(({ id }) => percentIn(id)),
        day: furtherIn('day'),
        month: furtherIn('month'),
        reset: resetAt === null ? '' : durationText(secondsUntil(resetAt, now) ?? 0),
        score: String(item.routingScore),
      },
      colour: TONES[tone],
      order: {
        name: title.toLowerCase(),
        ...perWindow(({ id }) => -(windows.get(id)?.percent ?? -1)),
        reset: resetAt ?? Number.MAX_VALUE,
      },
      fileName: item.selector.authName,
    }
  })
}

const columnIds = [
  ...(['#', 'name', 'provider', 'plan', 'state'] as const),
  ...([...windowIds, ...furtherIds, 'reset', 'score'] as const),
] as const
type ColumnId = (typeof columnIds)[number]
const RIGHT: ReadonlySet<ColumnId> = new Set(['#', ...windowIds, ...furtherIds, 'score'])
/** Columns that a narrow screen drops, in this order. */
const LEFT_OUT: readonly ColumnId[] = [
  ...(['plan', '#', 'reset', 'score', 'provider', 'state'] as const),
  ...[...furtherIds, ...windowIds],
]
const GAP = '  '

/** Width of each column on a screen of this width; 0 for a dropped column. */
function columnWidths(
  rows: readonly Row[],
  pools: ReturnType<typeof askedPools>,
  columns: number,
): Readonly<Record<ColumnId, number>> {
  const widest = (id: ColumnId) =>
    Math.max(...[id, ...rows.map(({ cells }) => cells[id])].map(columnsOf))
  const isLeftOut = (id: ColumnId) =>
    id === 'provider'
      ? new Set(rows.map(({ cells }) => cells.provider)).size < 2
      : furtherIds.some((each) => each === id)
        ? rows.every(({ cells }) => cells[id] === '')
        : windowIds.some((each) => each === id) && !isWindowOf(pools, id)
  const entries = columnIds.map((id) => [id, isLeftOut(id) ? 0 : widest(id)])
  const natural: Record<ColumnId, number> = Object.fromEntries(entries)
  const widths = { ...natural }
  const room = () =>
    Object.values(widths).reduce(
      (left, width) => left - (width > 0 ? width + GAP.length : 0),
      columns + GAP.length,
    )
  const shrink = (id: ColumnId, least: number) => {
    if (room() < 0) widths[id] = Math.max(Math.min(widths[id], least), widths[id] + room())
  }
  shrink('name', 24)
  shrink('state', 14)
  shrink('plan', 6)
  shrink('name', 12)
  for (const id of LEFT_OUT) {
    if (id === 'state') shrink(id, 8)
    if (room() < 0) widths[id] = 0
  }
  shrink('name', 1)
  // What a column that was left out has freed goes to the names.
  widths.name = Math.min(natural.name, widths.name + room())
  return widths
}

/** The column names and a line for each account that matches the filter. */
function tableOf(pool: TopPool, { sort, filter }: TopView, columns: number, paint: Paint) {
  const all = rowsOf(pool)
  const widths = columnWidths(all, askedPools(pool.status.recommendations), columns)
  const shown = all.filter(({ cells: { name, provider, plan, state }, fileName }) =>
    [name, provider, plan, state, fileName].join('\n').toLowerCase().includes(filter.toLowerCase()),
  )
  if (sort !== 'score')
    shown.sort((a, b) =>
      a.order[sort] < b.order[sort] ? -1 : Number(a.order[sort] > b.order[sort]),
    )
  const ids = columnIds.filter((id) => widths[id] > 0)
  const lineOf = (cellOf: (id: ColumnId) => string, colour?: Colour) =>
    ids
      .map((id) => {
        const text = cut(cellOf(id), widths[id])
        const space = ' '.repeat(widths[id] - columnsOf(text))
        const painted = id === 'state' && colour !== undefined ? paint(text, colour) : text
        return RIGHT.has(id) ? space + painted : painted + space
      })
      .join(GAP)
      .trimEnd()
  const head = paint(
    lineOf((id) => id),
    'bold',
  )
  return [head, ...shown.map(({ cells, colour }) => lineOf((id) => cells[id], colour))]
}
