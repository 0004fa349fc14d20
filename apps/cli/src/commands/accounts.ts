import type { Recommendations } from '@svc/client'
import { ConfigError } from '@svc/config'
import { type EpochMs, instantToIso, mainWindows, parseInstant, secondsUntil } from '@svc/core'
import { csvLine, harmlessText } from '@svc/views/csv'
import { durationText, percentText } from '@svc/views/format'
import { switchedOffIn } from '../plan/switched-off.ts'
import { type CliContext, EXIT } from '../program/cli-context.ts'
import { isOn, listsGiven, type ParsedOptions, textsGiven } from '../program/flags.ts'
import { columnsOf, fitted } from '../program/text-columns.ts'
import { printable } from '../redact/printable.ts'
import { accountFilter } from '../service/account-filter.ts'
import { askService } from '../service/running-service.ts'

type Item = Recommendations['items'][number]
type Format = (pool: Recommendations, columns: number, now: EpochMs) => string

const FORMATS: Readonly<Record<string, Format>> = {
  table,
  names: ({ items }) => items.map(({ selector }) => `${printable(selector.authName)}\n`).join(''),
  json: (pool) => `${JSON.stringify(pool, null, 2)}\n`,
  csv,
}

/** Prints the accounts of the pool, best first. Resolves with the exit code; throws ConfigError. */
export async function accounts(options: ParsedOptions, context: CliContext): Promise<number> {
  const name = isOn(options.json) ? 'json' : (textsGiven(['format'], context).format ?? 'table')
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined
  if (format === undefined)
    throw new ConfigError({
      code: 'invalid_value',
      message: `--format: one of ${Object.keys(FORMATS).join(', ')} is needed`,
    })
  const { blocked: slugs } = listsGiven(['blocked'], context)

  return await askService(options, context, async (client, url) => {
    const pool = await client.recommendations(accountFilter(context))
    const items = pool.items.filter(
      ({ routingBlockedReasons: reasons }) =>
        slugs === undefined || reasons.some((reason) => slugs.includes(reason)),
    )
    const shown = name === 'table' ? items.map(withPlannedState(context, url)) : items
    context.stdout(format({ ...pool, items: shown }, columnsFor(context), context.clock.now()))
    const reasons = [...new Set(pool.items.flatMap((item) => item.routingBlockedReasons))].sort()
    if (slugs !== undefined && items.length === 0)
      context.stderr(
        `svc-quota-monitor: no account is blocked by ${slugs.map(printable).join(' or ')}; now there are: ${reasons.join(', ') || 'none'}\n`,
      )
    return EXIT.ok
  })
}

/** Gives a file that is off as `plan` proposed the state `off since 14:02` and its end. */
function withPlannedState(context: CliContext, url: string): (item: Item) => Item {
  const offOf = switchedOffIn(context, url)
  return (item) => {
    const off = offOf(item)
    if (off === undefined) return item
    const blockedUntil = off.until === null ? null : instantToIso(off.until)
    return { ...item, summary: `off ${off.since}`, blockedUntil }
  }
}

const COLUMNS_DEFAULT = 80

/** Width of the table: that of the terminal, or, as `ps` does, what COLUMNS says. */
function columnsFor({ stdoutColumns, env }: CliContext): number {
  return stdoutColumns ?? (Number(env.COLUMNS) || COLUMNS_DEFAULT)
}

interface Column {
  readonly head: string
  readonly cell: (item: Item) => string
  readonly isNumber?: boolean
}

const windowOf = ({ quotaWindows }: Item, id: string) => {
  const window = quotaWindows.find((each) => each.id === id)
  return window === undefined || window.state === 'absent' ? null : window
}

const percentCell = (id: string) => (item: Item) => {
  const window = windowOf(item, id)
  if (window === null) return '-'
  return window.percent === null ? '?' : `${window.stale ? '~' : ''}${percentText(window.percent)}`
}

/** Columns beside the account's name; those for which there is no room are left out, the last ones first. */
function columnsOfTable(now: EpochMs): readonly Column[] {
  return [
    { head: 'SCORE', cell: ({ routingScore }) => String(routingScore), isNumber: true },
    ...mainWindows.map(({ id }) => ({
      head: id.toUpperCase(),
      cell: percentCell(id),
      isNumber: true,
    })),
    { head: 'STATE', cell: ({ summary }) => summary.split(' · ')[0] ?? '' },
    {
      head: 'BACK IN',
      cell({ blockedUntil }) {
        const at = blockedUntil == null ? null : parseInstant(blockedUntil)
        const seconds = secondsUntil(at, now)
        return seconds === null ? '' : durationText(seconds)
      },
    },
    { head: 'PROXY', cell: ({ upstream = '' }) => upstream },
    { head: 'PLAN', cell: ({ planKind }) => planKind },
    { head: 'NAME AT THE PROXY', cell: ({ selector }) => selector.authName },
  ]
}

const GAP = 2
const NAME_COLUMNS_MIN = 20

function table(pool: Recommendations, columns: number, now: EpochMs): string {
  const about = [pool.source.text, pool.summary ?? ''].join(' · ')
  if (pool.items.length === 0) return `${printable(about)}\n`
  const names = ['ACCOUNT', ...pool.items.map(({ title }) => printable(title))]
  let room = columns - NAME_COLUMNS_MIN
  const shown: string[][] = []
  for (const { head, cell, isNumber = false } of columnsOfTable(now)) {
    const cells = pool.items.map((item) => printable(cell(item)))
    const width = Math.max(...[head, ...cells].map(columnsOf))
    if (cells.every((text) => text === '') || width + GAP > room) continue
    room -= width + GAP
    shown.push(
      [head, ...cells].map((text) => (isNumber ? text.padStart(width) : fitted(text, width))),
    )
  }
  const nameColumns = Math.min(NAME_COLUMNS_MIN + room, Math.max(...names.map(columnsOf)))
  const rows = names.map((name, at) =>
    [fitted(name, nameColumns), ...shown.map((cells) => cells[at] ?? '')].join(' '.repeat(GAP)),
  )
  return [fitted(printable(about), columns), ...rows].map((row) => `${row.trimEnd()}\n`).join('')
}

function csv({ items }: Recommendations): string {
  const head = [
    ...['auth_name', 'account_key', 'title', 'plan', 'provider', 'upstream', 'score', 'routable'],
    ...['blocked', 'blocked_until', ...mainWindows.map(({ id }) => `${id}_percent`)],
  ]
  const rows = items.map((item) => [
    ...[item.selector.authName, item.accountKey, item.title, item.planKind],
    ...[item.provider ?? '', item.upstream ?? ''],
    ...[String(item.routingScore), String(item.routingEligible)],
    ...[item.routingBlockedReasons.join(' '), item.blockedUntil ?? ''],
    ...mainWindows.map(({ id }) => String(windowOf(item, id)?.percent ?? '')),
  ])
  return [head, ...rows].map((cells) => csvLine(cells.map(harmlessText))).join('')
}
