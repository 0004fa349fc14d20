import type { Client } from '@svc/client'
import {
  compactText,
  countedText,
  countText,
  createZone,
  durationText,
  percentText,
  printable,
  usdText,
} from '@svc/views/format'
import { switchedOffIn } from '../plan/plan-words.ts'
import type { CliContext } from '../program/cli-context.ts'
import { type Colour, colouring } from '../program/terminal.ts'
import { columnsFor, type Row, table, wrapped } from '../program/text-columns.ts'

export type AccountDetail = Awaited<ReturnType<Client['account']>>
type Item = AccountDetail['items'][number]
type Usage = AccountDetail['usage']
type Banked = NonNullable<AccountDetail['bankedResets']>
type Of<List extends readonly unknown[] | undefined> = NonNullable<List>[number]

const TONE_COLOURS = { good: 'green', warn: 'yellow', bad: 'red', unknown: 'grey' } as const

/** Text of an account: its files, and what is common to them. */
export function accountReport(detail: AccountDetail, url: string, context: CliContext): string {
  const columns = columnsFor(context)
  const coloured = colouring(context)
  const times = timesOf(detail, context)
  const section = (title: string, rows: readonly Row[] = []) =>
    rows.length === 0 ? '' : `\n${coloured(title, 'bold')}\n${table(rows, columns)}`
  const lines = (text: string, colour?: Colour) =>
    wrapped(printable(text), columns)
      .map((line) => `${colour === undefined ? line : coloured(line, colour)}\n`)
      .join('')
  const offOf = switchedOffIn(context, url)
  const blockRowAt = (block: Of<Item['blocked']>) => blockRow(block, times)
  const modelsRowAt = (block: Of<Item['blockedModels']>) => modelsRow(block, times)
  const offLine = (off: ReturnType<typeof offOf>) => off && lines(`off ${off.since} ${off.why}`)
  const files = detail.items.map(
    (item) =>
      lines(item.title, 'bold') +
      lines(`${item.badge} · ${item.summary}`, TONE_COLOURS[item.tone ?? 'unknown']) +
      (item.note === undefined ? '' : lines(item.note)) +
      lines(item.selector.authName + (item.upstream === undefined ? '' : ` at ${item.upstream}`)) +
      (offLine(offOf(item)) ?? '') +
      section(`Score ${item.routingScore} of 100`, item.scoreParts?.map(scoreRow)) +
      section('Blocked', item.blocked?.map(blockRowAt)) +
      section(
        'Windows',
        [...item.quotaWindows, ...(item.scopedWindows ?? [])].map((window) =>
          windowRow(window, times),
        ),
      ) +
      section('Blocked models', item.blockedModels?.map(modelsRowAt)),
  )
  if (files.length === 0) files.push(lines('This account is recorded, and not listed any more.'))
  const changes = detail.recentChanges.map(
    ({ timeText = '', badge, summary }): Row => [timeText, badge, summary],
  )
  return (
    files.join('\n') +
    section('Account', accountRows(detail, times)) +
    section('Recent changes', changes)
  )
}

type Times = ReturnType<typeof timesOf>

/** Formatters of times relative to the instant of the answer, in this machine's time zone. */
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

function blockRow({ slug, until, text }: Of<Item['blocked']>, { ahead }: Times): Row {
  return [text, until === null ? 'no known end' : `until ${ahead(until)}`, slug]
}

function modelsRow(
  { scope, models, until, reason }: Of<Item['blockedModels']>,
  { ahead }: Times,
): Row {
  const end = until === null ? 'no known end' : `until ${ahead(until)}`
  return [models?.join(', ') ?? scope, end, reason]
}

function windowRow(window: Of<Item['quotaWindows']>, { ahead, distance }: Times): Row {
  const { label, state, reported, percent, resetAt, sampledAt, origin, rolledOver, stale } = window
  if (state === 'absent') return [label, 'not in this plan']
  if (reported === false) return [label, 'not reported by the vendor']
  const reset = resetAt === null ? 'no reset known' : `resets ${ahead(resetAt)}`
  return [
    label,
    percent === null
      ? state === 'exhausted'
        ? 'reached'
        : 'unknown'
      : `${percentText(percent)} left`,
    rolledOver ? 'its reset has passed, no reading shows it' : percent === 100 ? 'full' : reset,
    sampledAt == null
      ? 'never read'
      : `${origin}, ${distance(sampledAt)} old${stale ? ', stale' : ''}`,
  ]
}

function accountRows(detail: AccountDetail, { moment, ahead }: Times): readonly Row[] {
  const { accountKey, paidUntil, subscription, bankedResets: banked, usage, paidBack } = detail
  const state = subscription === undefined ? '' : `, ${subscription.state.replace('_', ' ')}`
  const seen = subscription?.seenAt == null ? '' : `, login of ${moment(subscription.seenAt)}`
  return [
    ['key', accountKey],
    ...(paidUntil === undefined ? [] : [['paid until', moment(paidUntil) + state + seen] as const]),
    ...(banked == null ? [] : [['banked resets', bankedText(banked, ahead)] as const]),
    ['used in 24 h', usedText(usage.lastDay, usage)],
    ['used in 7 days', usedText(usage.lastWeek, usage)],
    ...(usage.cost === undefined ? [] : [['cost', costText(usage.cost)] as const]),
    ...(paidBack == null ? [] : [['paid back', worthText(paidBack)] as const]),
  ]
}

function worthText({
  listUsd30d,
  subscriptionUsd30d,
  paidBack,
  isAtLeast,
}: NonNullable<AccountDetail['paidBack']>): string {
  const times =
    paidBack === null ? 'not known yet' : `${paidBack.toFixed(1)} times its subscription`
  const list = listUsd30d === null ? 'not known' : usdText(listUsd30d)
  return `${isAtLeast ? 'at least ' : ''}${times}, ${list} for ${usdText(subscriptionUsd30d)} in 30 days`
}

function bankedText({ count, expiresAt, stale }: Banked, ahead: Times['ahead']): string {
  const lapses = expiresAt.map((at) => `lapses ${ahead(at)}`)
  return [countText(count), ...lapses, ...(stale ? ['stale'] : [])].join(', ')
}

function usedText(used: Usage['lastDay'], { reason }: Usage): string {
  if (used === null) return `not known (${reason})`
  const { requests, tokens, failed } = used
  return `${countedText(requests, 'request')}, ${compactText(tokens)} tokens, ${countText(failed)} failed`
}

function costText({ lastDay, lastWeek, lastMonth }: NonNullable<Usage['cost']>): string {
  const amount = (cost: typeof lastDay) => cost?.text ?? 'not known'
  return `${amount(lastDay)} in 24 h, ${amount(lastWeek)} in 7 days, ${amount(lastMonth)} in 30 days, at the list price of the API`
}
