import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, release } from 'node:os'
import { pinned } from '../service/node-process.ts'
import { top } from '../top.ts'

/** Extent of the measurement: five short rounds, or the long form. */
export interface Effort {
  readonly rounds: number
  readonly seconds: number
  readonly warmUpSeconds: number
  /** Spans whole refreshes of the service, because one more or less would change the figure fourfold. */
  readonly idleSeconds: number
}
/** A goal with the value measured against it. */
export interface Finding {
  readonly id: string
  readonly what: string
  readonly measured: number
  readonly unit: string
  readonly bound: { readonly atLeast: number } | { readonly atMost: number } | null
  /** Bootstrap 95 % interval of the median, if there were several rounds. */
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

function isMet({ measured, bound }: Finding): boolean {
  if (bound === null) return true
  return 'atLeast' in bound ? measured >= bound.atLeast : measured <= bound.atMost
}

/** A Markdown table, also readable in a terminal. */
function tableOf(findings: readonly Finding[]): string {
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

/** Entries of `parts` that a list of names asks for. */
export function chosenParts<Part>(
  names: string,
  parts: Readonly<Record<string, Part>>,
): readonly (readonly [name: string, part: Part])[] {
  return names
    .split(',')
    .filter((name) => name !== '')
    .map((name) => {
      const part = parts[name]
      if (part === undefined) throw new Error(`--only takes ${Object.keys(parts).join(', ')}`)
      return [name, part]
    })
}

/** Prints findings as they are measured, then the missed goals, and writes all into a file, if one is named. Resolves with whether every goal is met. */
export async function reportFindings(
  measured: AsyncIterable<readonly Finding[]>,
  file: string | undefined,
  more = {},
): Promise<boolean> {
  const findings: Finding[] = []
  for await (const found of measured) {
    console.log(`\n${tableOf(found)}`)
    findings.push(...found)
  }
  const missed = findings.filter((finding) => !isMet(finding))
  console.log(
    missed.length === 0
      ? '\nEvery goal is met.'
      : `\nMissed: ${missed.map(({ id, what }) => `${id} ${what}`).join('; ')}`,
  )
  if (file !== undefined)
    writeFileSync(file, JSON.stringify({ machine: machine(), ...more, findings }, null, 2))
  return missed.length === 0
}

/** Machine and commit on which the figures were measured. */
function machine() {
  const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: top,
    encoding: 'utf8',
  }).stdout.trim()
  return {
    processors: cpus().map(({ model }) => model),
    kernel: release(),
    node: process.version,
    pinned,
    commit,
  }
}

/** Value below which `share` (0..1) of all values lie; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

const RESAMPLES = 2_000

/** Bootstrap 95 % interval of the median. Deterministic: equal values give an equal interval. */
export function medianInterval(values: readonly number[]): readonly [low: number, high: number] {
  const random = seededRandom(1)
  const medians = Array.from({ length: RESAMPLES }, () =>
    median(values.map(() => values[Math.floor(random() * values.length)] ?? 0)),
  )
  return [percentile(medians, 0.025), percentile(medians, 0.975)]
}

/** Uniform in 0..1, the same sequence for the same seed (a linear congruential generator with the constants of Numerical Recipes). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
