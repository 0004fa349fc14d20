import { type Client, ClientError } from '@svc/client'
import { compactText, countText, createZone, durationText, percentText } from '@svc/views/format'
import { switchedOffIn } from '../plan/switched-off.ts'
import { type CliContext, EXIT } from '../program/cli-context.ts'
import { type Colour, colouring } from '../program/colours.ts'
import { isOn, type ParsedOptions } from '../program/flags.ts'
import { columnsOf, wrapped } from '../program/text-columns.ts'
import { printable } from '../redact/printable.ts'
import { askService } from '../service/running-service.ts'

type AccountDetail = Awaited<ReturnType<Client['account']>>
type Item = AccountDetail['items'][number]
type Of<List extends readonly unknown[] | undefined> = NonNullable<List>[number]

/** Prints what is known of one account, and resolves with the exit code: failed unless the name means exactly one. */
export function why(options: ParsedOptions, context: CliContext, given: unknown): Promise<number> {
  const name = String(given)
  const failed = (problem: string) => {
    context.stderr(`svc-quota-monitor: ${problem}\n`)
    return EXIT.failed
  }
  return askService(options, context, async (client, url) => {
    const items = (await client.recommendations()).items.filter(isNamed(name))
    const titles = new Map(items.map(({ accountKey, title }) => [accountKey, printable(title)]))
    const [key = name] = titles.keys()
    if (titles.size > 1) {
      const rows = [...titles].map(([each, title]) => `\n  ${each}  ${title}`)
      return failed(
        `${printable(name)} means several accounts; name one by its key:${rows.join('')}`,
      )
    }
    const detail = await detailOf(key, client)
    if (detail === null) return failed(`no account has the key, file or title ${printable(name)}`)
    const isJson = isOn(options.json)
    context.stdout(isJson ? `${JSON.stringify(detail, null, 2)}\n` : report(detail, url, context))
    return EXIT.ok
  })
}

/** Characters of a key that name an account, as many as the calendar of resets shows. */
const KEY_LENGTH_MIN = 4

function isNamed(name: string): (item: Item) => boolean {
  const wanted = name.toLowerCase()
  return ({ accountKey, selector, title }) =>
    [selector.authName, title].some((each) => each.toLowerCase() === wanted) ||
    (wanted.length >= KEY_LENGTH_MIN && accountKey.startsWith(wanted))
}

/** Null for an account that is neither listed nor recorded. */
async function detailOf(accountKey: string, client: Client): Promise<AccountDetail | null> {
  try {
    return await client.account(accountKey)
  } catch (error) {
    if (error instanceof ClientError && error.refusal?.status === 404) return null
    throw error
  }
}

const COLUMNS_DEFAULT = 80
const TONE_COLOURS = { good: 'green', warn: 'yellow', bad: 'red', unknown: 'grey' } as const

/** Cells of one row; the last one is wrapped. */
type Row = readonly [string, ...string[]]

function report(detail: AccountDetail, url: string, context: CliContext): string {
  const columns = context.stdoutColumns ?? (Number(context.env.COLUMNS) || COLUMNS_DEFAULT)
  const coloured = colouring(context)
  const times = timesOf(detail, context)
  const section = (title: string, rows: readonly Row[] = []) =>
    rows.length === 0 ? '' : `\n${coloured(title, 'bold')}\n${table(rows, columns)}`
  const lines = (text: string, colour: Colour | null = null) =>
    wrapped(printable(text), columns)
      .map((line) => `${colour === null ? line : coloured(line, colour)}\n`)
      .join('')
  const offOf = switchedOffIn(context, url)
  const offLine = (item: Item) => {
    const off = offOf(item)
    return off === undefined ? '' : lines(`off ${off.since} ${off.why}`)
  }
  const files = detail.items.map(
    (item) =>
      lines(item.title, 'bold') +
      lines(`${item.badge} · ${item.summary}`, TONE_COLOURS[item.tone ?? 'unknown']) +
      (item.note === undefined ? '' : lines(item.note)) +
      lines(item.selector.authName + (item.upstream === undefined ? '' : ` at ${item.upstream}`)) +
      offLine(item) +
      section(`Score ${item.routingScore} of 100`, item.scoreParts?.map(scoreRow)) +
      section('Blocked', item.blocked?.map(blockRowIn(times))) +
      section('Windows', item.quotaWindows.map(windowRowIn(times))),
  )
  const head =
    files.length > 0
      ? files.join('\n')
      : lines('This account is recorded, and not listed any more.')
  const changes = detail.recentChanges.map(
    ({ timeText = '', badge, summary }): Row => [timeText, badge, summary],
  )
  return head + section('Account', accountRows(detail, times)) + section('Recent changes', changes)
}

type Times = ReturnType<typeof timesOf>

/** Times from the moment that the answer speaks of, by the clock of this machine's zone. */
function timesOf({ quota }: AccountDetail, { hostTimeZone }: CliContext) {
  const zone = createZone(hostTimeZone ?? 'UTC')
  const now = Date.parse(quota.range.end)
  const moment = (instant: string) => zone.momentText(Date.parse(instant), now)
  const distance = (instant: string) => durationText(Math.abs(Date.parse(instant) - now) / 1000)
  return { moment, distance, ahead: (at: string) => `${moment(at)}, in ${distance(at)}` }
}

const scoreRow = ({ id, points, max, reason = '' }: Of<Item['scoreParts']>): Row => [
  id,
  `${points} of ${max}`,
  reason,
]

const blockRowIn =
  ({ ahead }: Times) =>
  ({ slug, until, text }: Of<Item['blocked']>): Row => [
    text,
    until === null ? 'no known end' : `until ${ahead(until)}`,
    slug,
  ]

const windowRowIn =
  ({ ahead, distance }: Times) =>
  (window: Of<Item['quotaWindows']>): Row => {
    const { label, state, percent, resetAt, sampledAt, origin, rolledOver, stale } = window
    if (state === 'absent') return [label, 'not in this plan']
    const reset = resetAt === null ? 'no reset known' : `resets ${ahead(resetAt)}`
    return [
      label,
      percent === null ? 'unknown' : `${percentText(percent)} left`,
      rolledOver ? 'its reset has passed, no reading shows it' : percent === 100 ? 'full' : reset,
      sampledAt == null
        ? 'never read'
        : `${origin}, ${distance(sampledAt)} old${stale ? ', stale' : ''}`,
    ]
  }

function accountRows(detail: AccountDetail, { moment }: Times): readonly Row[] {
  const { accountKey, paidUntil, subscription, usage } = detail
  const state = subscription === undefined ? '' : `, ${subscription.state.replace('_', ' ')}`
  const seen = subscription?.seenAt == null ? '' : `, login of ${moment(subscription.seenAt)}`
  const usedRows = [
    { label: 'used in 24 h', used: usage.lastDay },
    { label: 'used in 7 days', used: usage.lastWeek },
  ].map(
    ({ label, used }): Row => [
      label,
      used === null ? `not known (${usage.reason})` : usedText(used),
    ],
  )
  return [
    ['key', accountKey],
    ...(paidUntil === undefined ? [] : [['paid until', moment(paidUntil) + state + seen] as const]),
    ...usedRows,
  ]
}

function usedText({ requests, tokens, failed }: NonNullable<AccountDetail['usage']['lastDay']>) {
  return `${countText(requests)} requests, ${compactText(tokens)} tokens, ${countText(failed)} failed`
}

const INDENT = 2
/** Columns that the last cell has however narrow the terminal is. */
const LAST_COLUMNS_MIN = 20

/** Rows with their cells below each other. */
function table(rows: readonly Row[], columns: number): string {
  const cells = rows.map((row) => row.map(printable))
  const widthOf = (at: number) =>
    Math.max(...cells.map((row) => (at < row.length - 1 ? columnsOf(row[at] ?? '') : 0)))
  const lines = cells.flatMap((row) => {
    const padded = row
      .slice(0, -1)
      .map((cell, at) => cell + ' '.repeat(widthOf(at) - columnsOf(cell) + INDENT))
    const head = ' '.repeat(INDENT) + padded.join('')
    const room = Math.max(LAST_COLUMNS_MIN, columns - columnsOf(head))
    const [first, ...rest] = wrapped(row.at(-1) ?? '', room)
    return [head + first, ...rest.map((line) => ' '.repeat(columnsOf(head)) + line)]
  })
  return lines.map((line) => `${line.trimEnd()}\n`).join('')
}
