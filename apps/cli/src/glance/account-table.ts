import type { Recommendations } from '@svc/client'
import { type EpochMs, mainWindows, parseInstant, secondsUntil } from '@svc/core'
import { ASSUMED_PROVIDER } from '@svc/core/service'
import { csvLine, harmlessText } from '@svc/views/csv'
import { durationText, percentText, printable, withoutControls } from '@svc/views/format'
import { columnsOf, cut, fitted, padded, wrapped } from '../program/text-columns.ts'
import { askedPools, isWindowOf } from './pool-words.ts'

type Item = Recommendations['items'][number]

const windowOf = ({ quotaWindows }: Item, id: string) =>
  quotaWindows.find((window) => window.id === id && window.state !== 'absent')

/** The main windows, plus the further windows of accounts of other providers than Codex. */
function windowIdsOf(items: readonly Item[]): readonly string[] {
  const further = items
    .filter(({ provider = ASSUMED_PROVIDER }) => provider !== ASSUMED_PROVIDER)
    .flatMap(({ quotaWindows }) => quotaWindows.map(({ id }) => id))
  return [...new Set([...mainWindows.map(({ id }) => id), ...further.sort()])]
}

function percentCell(item: Item, id: string): string {
  const { percent, stale, reported } = windowOf(item, id) ?? {}
  if (percent === undefined || reported === false) return '-'
  return percent === null ? '?' : `${stale ? '~' : ''}${percentText(percent)}`
}

type Column = readonly [head: string, cell: (item: Item) => string, isNumber?: boolean]

/** Columns after the account's name. If the terminal is too narrow, the last columns are dropped first. */
function columnsOfTable(pool: Recommendations, now: EpochMs): readonly Column[] {
  const { items } = pool
  const isOfSeveral = new Set(items.map(({ provider }) => provider)).size > 1
  return [
    ['SCORE', ({ routingScore }) => String(routingScore), true],
    ['PROVIDER', ({ provider = '' }) => (isOfSeveral ? provider : '')],
    ...windowIdsOf(items)
      .filter((id) => isWindowOf(askedPools(pool), id))
      .map((id): Column => [id.toUpperCase(), (item) => percentCell(item, id), true]),
    ['STATE', ({ summary }) => summary.split(' · ')[0] ?? ''],
    [
      'BACK IN',
      ({ blockedUntil }) => {
        const seconds = secondsUntil(parseInstant(blockedUntil ?? ''), now)
        return seconds === null ? '' : durationText(seconds)
      },
    ],
    ['PROXY', ({ upstream = '' }) => upstream],
    ['PLAN', ({ planKind }) => planKind],
    ['NAME AT THE PROXY', ({ selector }) => selector.authName],
  ]
}

/** `24 Codex accounts (44 in all)`; `12 of 24` if a filter leaves some out. */
function countText({ items, ...pool }: Recommendations): string {
  const sumOf = (pools: typeof asked) => pools.reduce((sum, { accounts }) => sum + accounts, 0)
  const { pools = [] } = pool
  const asked = askedPools(pool)
  const [own, all] = [sumOf(asked) || items.length, sumOf(pools)]
  const count = items.length < own ? `${items.length} of ${own}` : String(own)
  const labels = asked.length < pools.length ? `${asked.map(({ label }) => label).join(', ')} ` : ''
  return `${count} ${labels}account${own === 1 ? '' : 's'}${all > own ? ` (${all} in all)` : ''}`
}

const GAP = '  '
const NAME_COLUMNS_MIN = 20
/** Columns of a state whose end is left out on a narrow terminal. */
const STATE_COLUMNS_MIN = 12

/** Accounts as a table, best first, in at most `columns`. */
export function accountsTable(pool: Recommendations, columns: number, now: EpochMs): string {
  const { source, summary = '' } = pool
  const counts = source.kind === 'unavailable' ? [] : [[countText(pool), summary].join(' · ')]
  const whole = printable([...counts, source.text].join(' · '))
  const about = (columnsOf(whole) <= columns ? [whole] : [...counts, source.text])
    .flatMap((text) => wrapped(printable(text), columns))
    .map((line) => `${cut(line, columns)}\n`)
    .join('')
  if (pool.items.length === 0) return about
  const names = ['ACCOUNT', ...pool.items.map(({ title }) => printable(title))]
  let room = columns - NAME_COLUMNS_MIN
  const shown: string[][] = []
  for (const [head, cell, isNumber] of columnsOfTable(pool, now)) {
    const cells = pool.items.map((item) => printable(cell(item)))
    const natural = Math.max(...[head, ...cells].map(columnsOf))
    const left = room - GAP.length
    const width = head === 'STATE' && left >= STATE_COLUMNS_MIN ? Math.min(natural, left) : natural
    if (cells.every((text) => text === '') || width > left) continue
    room = left - width
    shown.push([head, ...cells].map((text) => padded(cut(text, width), width, isNumber)))
  }
  const nameColumns = Math.min(NAME_COLUMNS_MIN + room, Math.max(...names.map(columnsOf)))
  const rows = names.map((name, at) =>
    [fitted(name, nameColumns), ...shown.map((cells) => cells[at])].join(GAP),
  )
  return about + rows.map((row) => `${row.trimEnd()}\n`).join('')
}

/** Accounts as CSV, harmless to a spreadsheet. */
export function accountsCsv(items: readonly Item[]): string {
  const windowIds = windowIdsOf(items)
  const head = [
    ...['auth_name', 'account_key', 'title', 'plan', 'provider', 'upstream', 'score', 'routable'],
    ...['blocked', 'blocked_until', ...windowIds.map((id) => `${id}_percent`)],
  ]
  const rows = items.map((item) => [
    ...[item.selector.authName, item.accountKey, item.title, item.planKind],
    ...[item.provider ?? '', item.upstream ?? ''],
    ...[String(item.routingScore), String(item.routingEligible)],
    ...[item.routingBlockedReasons.join(' '), item.blockedUntil ?? ''],
    ...windowIds.map((id) => String(windowOf(item, id)?.percent ?? '')),
  ])
  return [head, ...rows]
    .map((cells) => csvLine(cells.map(withoutControls).map(harmlessText)))
    .join('')
}
