/** How much is measured: five short rounds, or the long form. */
export interface Effort {
  readonly rounds: number
  readonly seconds: number
  readonly warmUpSeconds: number
  /** Whole refreshes of the footprint's service: one more or less in the window would change the figure fourfold. */
  readonly idleSeconds: number
}
/** One goal and what was measured against it. */
export interface Finding {
  readonly id: string
  readonly what: string
  readonly measured: number
  readonly unit: string
  readonly bound: { readonly atLeast: number } | { readonly atMost: number } | null
  /** Bootstrap 95 % interval of the median, where there were several rounds. */
  readonly interval?: readonly [low: number, high: number]
}

/** Findings as rows of a table: goal, name, figure, unit, limit, interval. */
export function findingsOf(
  rows: readonly (readonly [
    id: string,
    what: string,
    measured: number,
    unit: string,
    bound?: Finding['bound'],
    interval?: Finding['interval'],
  ])[],
): readonly Finding[] {
  return rows.map(([id, what, measured, unit, bound = null, interval]) => ({
    id,
    what,
    measured,
    unit,
    bound,
    ...(interval === undefined ? {} : { interval }),
  }))
}

export function atMost(limit: number | null): Finding['bound'] {
  return limit === null ? null : { atMost: limit }
}

export function isMet({ measured, bound }: Finding): boolean {
  if (bound === null) return true
  return 'atLeast' in bound ? measured >= bound.atLeast : measured <= bound.atMost
}

/** A table for a terminal and a note alike (Markdown). */
export function tableOf(findings: readonly Finding[]): string {
  const rows = findings.map((finding) => {
    const { id, what, measured, unit, bound, interval } = finding
    const range = interval === undefined ? '' : ` (${text(interval[0])}–${text(interval[1])})`
    const goal =
      bound === null ? '' : 'atLeast' in bound ? `≥ ${bound.atLeast}` : `≤ ${bound.atMost}`
    return [
      id,
      what,
      `${text(measured)}${range} ${unit}`.trim(),
      goal,
      bound === null ? '' : isMet(finding) ? 'met' : 'MISSED',
    ]
  })
  const head = ['goal', 'what', 'measured', 'limit', '']
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

function text(value: number): string {
  return Math.abs(value) >= 100
    ? String(Math.round(value))
    : value.toFixed(Math.abs(value) >= 10 ? 1 : 2)
}
