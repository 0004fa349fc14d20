import { type EpochMs, epochMs, type Interval, instantToIso } from '@svc/core'
import type { UsageRow } from '@svc/core/usage'
import { harmlessId, harmlessText } from './csv.ts'
import { type UsageRowFormat, usageRowFormats } from './usage-rows.ts'
import { costCells, costNames, countNames, countsOf, statementText } from './usage-statement.ts'

export {
  statementNotes,
  statementOf,
  statementParts,
  usageStatementText,
} from './usage-statement.ts'
export { usageRowFormats }

export const monthGroups = ['client', 'account', 'model'] as const
type MonthGroup = (typeof monthGroups)[number]

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

interface MonthAsked {
  /** For example `2026-10`. */
  readonly month: string
  readonly group: MonthGroup
  readonly format: UsageRowFormat
  /** Percent of the month so far in which no request can have been missed; null if no longer known. */
  readonly watchedPercent: number | null
  /** The same members with their cost; null without prices. */
  readonly priced: readonly UsageRow[] | null
}

/** Sums of a month, one member per line, ordered by id. */
export function usageMonthText(
  rows: readonly UsageRow[],
  { month, group, format, watchedPercent, priced }: MonthAsked,
): string {
  const isAccount = group === 'account'
  const lines = rows
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((row) => [
      month,
      harmlessId(row.id),
      ...(isAccount ? [format === 'csv' ? harmlessText(row.label) : row.label] : []),
      ...countsOf(row),
      watchedPercent,
      ...(priced === null
        ? []
        : costCells(
            priced.find(({ id }) => id === row.id),
            format,
          )),
    ])
  const names = [
    'month',
    ...(isAccount ? ['accountKey', 'accountTitle'] : [group]),
    ...countNames,
    'watchedPercent',
    ...(priced === null ? [] : costNames),
  ]
  return statementText(names, lines, format)
}
