import { type EpochMs, epochMs, type Interval, instantToIso } from '@svc/core'
import { usageRowFormats } from './usage-rows.ts'

export {
  statementNotes,
  statementOf,
  statementParts,
  usageStatementText,
} from './usage-statement.ts'
export { usageRowFormats }

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
