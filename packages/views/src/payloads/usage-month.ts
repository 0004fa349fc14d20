import type { UsageCounts, UsageRow } from '@svc/core/usage'
import { printableJson, withoutControls } from '../format/printable.ts'
import { csvHead, csvLine, harmlessId, harmlessText } from './csv.ts'
import { type UsageRowFormat, usageRowFormats } from './usage-rows.ts'

export { usageRowFormats }

export const monthGroups = ['client', 'account', 'model'] as const
type MonthGroup = (typeof monthGroups)[number]

const COUNTS = [
  'requests',
  'failed',
  'tokens',
  'tokensIn',
  'tokensCached',
  'tokensWritten',
  'tokensOut',
] as const satisfies readonly (keyof UsageCounts)[]

interface MonthAsked {
  /** For example `2026-10`. */
  readonly month: string
  readonly group: MonthGroup
  readonly format: UsageRowFormat
  /** Percent of the month so far in which no request can have been missed; null if no longer known. */
  readonly watchedPercent: number | null
}

/** Sums of a month, one member per line, ordered by id. `tokensUnclassified` counts requests of unknown token classes. */
export function usageMonthText(
  rows: readonly UsageRow[],
  { month, group, format, watchedPercent }: MonthAsked,
): string {
  const isAccount = group === 'account'
  const lines = rows
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((row) => [
      month,
      harmlessId(row.id),
      ...(isAccount ? [format === 'csv' ? harmlessText(row.label) : row.label] : []),
      ...COUNTS.map((count) => row[count]),
      row.tokens - row.tokensIn - row.tokensCached - row.tokensWritten - row.tokensOut,
      watchedPercent,
    ])
  const names = [
    'month',
    ...(isAccount ? ['accountKey', 'accountTitle'] : [group]),
    ...COUNTS,
    'tokensUnclassified',
    'watchedPercent',
  ]
  if (format === 'csv')
    return (
      csvHead(names) +
      lines
        .map((cells) => csvLine(cells.map((cell) => withoutControls(String(cell ?? '')))))
        .join('')
    )
  const objects = lines.map((cells) =>
    Object.fromEntries(cells.map((cell, index) => [names[index], cell])),
  )
  return objects.map((one) => `${printableJson(one)}\n`).join('')
}
