import { type EpochMs, epochMs, type Interval, instantToIso } from '@svc/core'
import {
  costIn,
  QUESTION_REQUESTS_MAX,
  type UsageCounts,
  type UsageDimension,
  type UsageMember,
  type UsageQuestion,
  type UsageRow,
  type UsageSeries,
  usageDimensions,
} from '@svc/core/usage'
import type { Zone } from '../format/format.ts'
import { printableJson, withoutControls } from '../format/printable.ts'
import {
  type GivenParameters,
  questionPartOf,
  unknownIdWarnings,
  usageFilters,
} from './asked-usage.ts'
import { csvHead, csvLine, harmlessId, harmlessText, usdCell } from './csv.ts'
import { type UsageRowFormat, usageRowFormats, usdOf } from './usage-rows.ts'

export { usageFilters, usageRowFormats }

const COUNTS = [
  'requests',
  'failed',
  'tokens',
  'tokensIn',
  'tokensCached',
  'tokensWritten',
  'tokensOut',
] as const satisfies readonly (keyof UsageCounts)[]

/** Names of the numbers of a statement. `tokensUnclassified` counts tokens of requests of unknown token classes. */
const countNames: readonly string[] = [...COUNTS, 'tokensUnclassified']

function countsOf(row: UsageCounts): readonly number[] {
  const { tokens, tokensIn, tokensCached, tokensWritten, tokensOut } = row
  const unclassified = tokens - tokensIn - tokensCached - tokensWritten - tokensOut
  return [...COUNTS.map((count) => row[count]), unclassified]
}

/** Names of the columns of a cost, which there are only with prices. */
const costNames: readonly string[] = ['costUsd', 'unpricedTokens']

/** Cost of one line at the list price of the API; null if unknown. */
function costCells(
  counts: UsageCounts | undefined,
  format: UsageRowFormat,
): readonly (string | number | null)[] {
  if (counts === undefined) return [null, null]
  const cost = costIn(counts)
  const usd = usdOf(cost, counts.tokens)
  return [format === 'csv' ? usdCell(usd) : usd, cost.unpricedTokens]
}

/** Parts into which a statement divides its time. */
export const statementParts = ['all', 'day', 'month'] as const
type StatementPart = (typeof statementParts)[number]

/** Days or months of the display timezone that make up a time; the first and the last one may be partial. */
function partsOfTime(
  { from, to }: Interval,
  each: StatementPart,
  { offsetMs }: Pick<Zone, 'offsetMs'>,
): readonly Interval[] {
  const parts: Interval[] = []
  for (let start: EpochMs = from; start < to; ) {
    const next = each === 'all' ? to : startOfNext(start, each, offsetMs)
    const end = epochMs(Math.min(to, next))
    parts.push({ from: start, to: end })
    start = end
  }
  return parts
}

function startOfNext(at: EpochMs, each: 'day' | 'month', offsetMs: Zone['offsetMs']): EpochMs {
  const local = new Date(at + offsetMs(at))
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()]
  const midnight = each === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1)
  return epochMs(midnight - offsetMs(midnight - offsetMs(midnight)))
}

/** Options of a statement. */
interface StatementOptions {
  /** One or two dimensions, separated by a comma; `client` if left out. */
  readonly by?: string | undefined
  /** Time and filters. */
  readonly parameters: GivenParameters
  readonly each: StatementPart
}

/** A statement: one question for each part of its time. */
interface Statement extends Interval {
  readonly groups: readonly UsageDimension[]
  readonly questions: readonly UsageQuestion[]
}

/** The statement that is asked for. Throws RangeError with one sentence that names a wrong option. */
export function statementOf(
  { by = 'client', parameters, each }: StatementOptions,
  { now, zone }: { readonly now: EpochMs; readonly zone: Pick<Zone, 'offsetMs'> },
): Statement {
  const asked = questionPartOf(parameters, zone)
  if ('invalid' in asked) {
    const { parameter, allowed } = asked.invalid
    throw new RangeError(`${parameter}: ${allowed.join(' or ')} is needed, for example`)
  }
  const end = epochMs(Math.min(asked.between?.to ?? now, now))
  if (asked.between === null || asked.between.from >= end)
    throw new RangeError('from: a time before to and before now is needed')
  const groups = usageDimensions.filter((id) => by.split(',').some((name) => name.trim() === id))
  const [group, second] = by.split(',').map((name) => groups.find((id) => id === name.trim()))
  if (group === undefined || groups.length !== by.split(',').length || groups.length > 2)
    throw new RangeError(`by: one or two of ${usageDimensions.join(', ')} are needed`)
  const question = {
    range: 'custom',
    group,
    ...(second === undefined ? {} : { second }),
    metric: 'tokens',
    top: Number.POSITIVE_INFINITY,
    filter: asked.filter,
  } as const
  const parts = partsOfTime({ from: asked.between.from, to: end }, each, zone)
  return {
    from: asked.between.from,
    to: end,
    groups: second === undefined ? [group] : [group, second],
    questions: parts.map((between) => ({ ...question, between })),
  }
}

/** A month of UTC that a statement is of. */
interface StatementMonth {
  /** For example `2026-10`. */
  readonly month: string
  /** Percent of the month so far in which no request can have been missed; null if no longer known. */
  readonly watchedPercent: number | null
}

/** Usage of a time, one member or pair of members per line, ordered by time and id. Throws RangeError for a part that nothing answers. */
export function usageStatementText(
  answers: readonly UsageSeries[],
  { groups, ofMonth }: Pick<Statement, 'groups'> & { readonly ofMonth?: StatementMonth },
  format: UsageRowFormat,
): string {
  const isPriced = answers.some((one) => one.isPriced)
  const names = [
    ...(ofMonth === undefined ? ['from', 'to'] : ['month']),
    ...groups.flatMap((group) => (group === 'account' ? ['accountKey', 'accountTitle'] : [group])),
    ...countNames,
    'watchedPercent',
    ...(isPriced ? costNames : []),
  ]
  const lines = answers.flatMap(({ span, coverage, breakdown, refused }) => {
    const time = [instantToIso(span.from), instantToIso(span.end)]
    if (refused !== null)
      throw new RangeError(
        `from: only single requests tell this, and those of ${time.join(' to ')} are ${refused.reason === 'rows_gone' ? 'deleted' : `more than ${QUESTION_REQUESTS_MAX}`}`,
      )
    const { percent } = coverage
    const watched = percent === null ? null : Math.floor(percent * 100) / 100
    return breakdown.rows
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .map((row) => [
        ...(ofMonth === undefined ? time : [ofMonth.month]),
        ...membersOf(row).flatMap((member, index) => memberCells(member, groups[index], format)),
        ...countsOf(row),
        ofMonth === undefined ? watched : ofMonth.watchedPercent,
        ...(isPriced ? costCells(row.cost === undefined ? undefined : row, format) : []),
      ])
  })
  return statementText(names, lines, format)
}

/** Notes about a statement: its time, widened parts, unknown ids. */
export function statementNotes(
  answers: readonly UsageSeries[],
  { from, to }: Interval,
): readonly string[] {
  const widened = answers.filter((one) => one.widened).length
  const unknown = new Set(answers.flatMap(({ unknownIds }) => unknownIds))
  return [
    `${instantToIso(from)} to ${instantToIso(to)}`,
    ...(widened === 0
      ? []
      : [
          `${widened} of ${answers.length} parts are widened to whole sums, as single requests are deleted`,
        ]),
    ...unknownIdWarnings([...unknown]),
  ]
}

function membersOf(row: UsageRow): readonly UsageMember[] {
  return row.members ?? [row]
}

function memberCells(
  { id, label }: UsageMember,
  group: UsageDimension | undefined,
  format: UsageRowFormat,
): readonly string[] {
  if (group !== 'account') return [harmlessId(id)]
  return [harmlessId(id), format === 'csv' ? harmlessText(label) : label]
}

type Cell = string | number | null

/** Lines of a statement under their names, as CSV or as one JSON object each. */
function statementText(
  names: readonly string[],
  lines: readonly (readonly Cell[])[],
  format: UsageRowFormat,
): string {
  if (format === 'csv') {
    const textOf = (cell: Cell) => withoutControls(String(cell ?? ''))
    return csvHead(names) + lines.map((cells) => csvLine(cells.map(textOf))).join('')
  }
  return lines
    .map((cells) => Object.fromEntries(cells.map((cell, index) => [names[index], cell])))
    .map((one) => `${printableJson(one)}\n`)
    .join('')
}

export const monthGroups = ['client', 'account', 'model'] as const

/** A month of UTC, up to `now`. Throws RangeError with one sentence for a text that is none. */
export function monthOf(
  given: string | undefined,
  now: EpochMs,
): Interval & { readonly month: string } {
  const [month, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(given ?? '') ?? []
  if (month === undefined) throw new RangeError('month: a month as 2026-10 is needed')
  const startOf = (index: number): EpochMs => epochMs(Date.UTC(Number(year), index))
  const from = startOf(Number(number) - 1)
  const to = epochMs(Math.min(startOf(Number(number)), now))
  if (to <= from) throw new RangeError(`month: ${month} has not begun`)
  return { month, from, to }
}

/** Time of a month in which requests may be missing; `gapsFrom`: instant since which gaps are known. */
export function watchOf(
  { from, to, month }: ReturnType<typeof monthOf>,
  gaps: readonly Interval[],
  { gapsFrom, gapDays }: { readonly gapsFrom: number; readonly gapDays: number },
): { readonly watchedPercent: number | null; readonly notes: readonly string[] } {
  const missedMs = gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0)
  // Rounded down: only a month without a gap has 100.
  const watchedPercent =
    from < gapsFrom ? null : Math.floor(10_000 * (1 - missedMs / (to - from))) / 100
  const minutes = (ms: number) => Math.ceil(ms / 60_000)
  const missed =
    missedMs === 0
      ? 'all of it was watched'
      : `in ${minutes(missedMs)} of its ${minutes(to - from)} min requests may be missing`
  const known =
    watchedPercent === null
      ? `whether requests are missing is not known: gaps are kept for ${gapDays} days`
      : missed
  return { watchedPercent, notes: [`${month}, by days of UTC, until ${instantToIso(to)}`, known] }
}
