import { textHash } from '@svc/core/service'
import type { StatsSeries } from '@svc/views'

/** Maximum number of lines that are easy to distinguish; the rest are combined into one. */
export const LINES_MAX = 8

/** One line of the chart. A null value means that the bucket is unknown. */
export interface ChartLine {
  readonly id: string
  /** Empty for the combined line. */
  readonly label: string
  /** 1 to LINES_MAX, `other` for the combined line, or `total`. */
  readonly style: number | 'other' | 'total'
  /** Counted value of each bucket. In per-minute mode it is per minute; in a bar chart it is the percentage of all requests of the bucket. */
  readonly counted: readonly (number | null)[]
  /** Drawn values: the counted ones or their centred mean. Null for a running bucket, which would look like a drop. */
  readonly drawn: readonly (number | null)[]
  /** Sum over the whole range, in the unit of the chart. */
  readonly sum: number
}

/** Stacked areas, stacked bars, or separate lines. */
export type ChartForm = 'area' | 'bar' | 'line'

export interface ChartLines {
  readonly form: ChartForm
  /** Start of each bucket in seconds since 1970. */
  readonly times: readonly number[]
  readonly lines: readonly ChartLine[]
  readonly total: ChartLine
  /** Indexes of the buckets that are only partly in the range: the first if the range begins inside it, the last while it is running. */
  readonly partial: readonly number[]
  /** Index of the last bucket while it is still running; null once it is complete. */
  readonly runningIndex: number | null
  /** Lines of the previous period, aligned by bucket; null without a comparison. */
  readonly previous: PreviousLines | null
}

/** Lines of the previous period; `lines` has one for each named line of the chart. */
export interface PreviousLines {
  readonly lines: readonly ChartLine[]
  readonly total: ChartLine
}

type WireLine = StatsSeries['series'][number]
type Measured = Pick<WireLine, 'tokens' | 'requests' | 'failed' | 'value'>

const SMOOTH = {
  tokens: 'smoothTokens',
  requests: 'smoothRequests',
  failed: 'smoothFailed',
} as const

/** Name of the chart's metric, as the answer has it. */
export function metricText({ options, query: { metric } }: StatsSeries): string {
  return options.metric.find(({ id }) => id === metric)?.label ?? metric
}

/** The value of the chart's metric in a point, a line or a row; null if it is unknown. */
export function measuredIn({ query: { metric } }: StatsSeries, of: Measured): number | null {
  return metric in SMOOTH ? of[metric as keyof typeof SMOOTH] : (of.value ?? null)
}

/** Whether values of the chart's metric add up. Percentages and times do not. */
export function addsUp({ valueUnit }: Pick<StatsSeries, 'valueUnit'>): boolean {
  return valueUnit !== 'percent' && valueUnit !== 'ms'
}

/** Form of a chart for the chosen form: lines for a metric that does not add up; for failures, bars of their rate unless lines are chosen. */
export function chooseChartForm(now: StatsSeries, chosen: string): ChartForm {
  if (chosen === 'line' || !addsUp(now)) return 'line'
  return now.query.metric.startsWith('failed') ? 'bar' : 'area'
}

export function buildChartLines(now: StatsSeries, form: ChartForm): ChartLines {
  const all = now.total?.points ?? []
  const whole = form === 'bar' ? now.total : null
  const total = lineOf({ now, whole }, now.total, 'other')
  const shown = now.series.slice(0, LINES_MAX)
  const styles = stylesIn(now)
  const lines = shown.map((line) => lineOf({ now, whole }, line, styles.get(line.id) ?? 'other'))
  const other = remainder(total, lines)
  return {
    form,
    times: all.map(({ t }) => Date.parse(t) / 1000),
    lines: other.sum > 0 && addsUp(now) ? [...lines, other] : lines,
    total,
    partial: findPartial(now, all),
    runningIndex: findRunningIndex(now, all),
    previous: previousLine(now, styles, form),
  }
}

function previousLine(
  now: StatsSeries,
  styles: ReadonlyMap<string, number>,
  form: ChartForm,
): PreviousLines | null {
  const { previous } = now
  if (previous === null) return null
  const then = {
    now: { ...now, range: { ...now.range, start: previous.start, end: previous.end } },
    whole: form === 'bar' ? previous.total : null,
  }
  return {
    lines: previous.series
      .slice(0, LINES_MAX)
      .map((line) => lineOf(then, line, styles.get(line.id) ?? 'other')),
    total: lineOf(then, previous.total, 'other'),
  }
}

/** The styles of this chart's lines, by line id. */
export const stylesIn = ({ series }: Pick<StatsSeries, 'series'>): ReadonlyMap<string, number> =>
  assignStyles(series.slice(0, LINES_MAX).map(({ id }) => id))

/** The last style of each line that was drawn since the page was loaded, by line id. */
const lastStyles = new Map<string, number>()

/**
 * A style for each line, so that a line looks the same in every range. Each id prefers its last style, or initially one derived from the id. If
 * several ids prefer the same style, it goes to ids with a last style first, then by hash. The remaining ids get the free styles in the same order.
 */
export function assignStyles(
  ids: readonly string[],
  last = lastStyles,
): ReadonlyMap<string, number> {
  const byStyle = new Map<number, string>()
  const inOrder = ids
    .map((id) => ({ id, hash: id === 'total' ? 0 : textHash(id) }))
    .sort(
      (a, b) =>
        Number(last.has(b.id)) - Number(last.has(a.id)) ||
        a.hash - b.hash ||
        (a.id < b.id ? -1 : 1),
    )
  const others = inOrder.filter(({ id, hash }) => {
    const style = last.get(id) ?? (hash % LINES_MAX) + 1
    if (byStyle.has(style)) return true
    byStyle.set(style, id)
    return false
  })
  for (const { id, hash } of others) {
    const nextOnes = Array.from({ length: LINES_MAX }, (_, step) => ((hash + step) % LINES_MAX) + 1)
    const free = nextOnes.find((style) => !byStyle.has(style))
    if (free !== undefined) byStyle.set(free, id)
  }
  for (const [style, id] of byStyle) last.set(id, style)
  return new Map([...byStyle].map(([style, id]) => [id, style]))
}

interface LineContext {
  readonly now: StatsSeries
  /** All requests, if values are percentages of them; null if values are counts. */
  readonly whole: WireLine | null
}

function lineOf(
  { now, whole }: LineContext,
  line: WireLine | null,
  style: ChartLine['style'],
): ChartLine {
  const points = line?.points ?? []
  const counted = points.map((point, index) => {
    const value = point.unknown ? null : measuredIn(now, point)
    if (value === null || whole === null) return value && value / minutesOf(now, point)
    return (100 * value) / Math.max(1, whole.points[index]?.requests ?? 0)
  })
  const partial = findPartial(now, points)
  const smooth = whole === null ? wholeMeans(meansOf(now, line), counted, partial) : undefined
  return {
    id: line?.id ?? '',
    label: line?.label ?? '',
    style,
    counted,
    drawn: counted.map((value, index) =>
      value === null || partial.includes(index) ? null : (smooth?.[index] ?? value),
    ),
    sum: (line && measuredIn(now, line)) ?? 0,
  }
}

/** The means of a line in the chart's metric. */
function meansOf({ query: { metric } }: StatsSeries, line: WireLine | null) {
  return metric in SMOOTH ? line?.[SMOOTH[metric as keyof typeof SMOOTH]] : line?.smoothValue
}

type Points = WireLine['points']

/** Index of the last bucket if it is still running at the end of the range, else null. */
function findRunningIndex({ range: { end }, bucketSeconds }: Cut, points: Points): number | null {
  const last = points.at(-1)
  if (last === undefined || end === null) return null
  return Date.parse(last.t) + bucketSeconds * 1000 > Date.parse(end) ? points.length - 1 : null
}

type Cut = Pick<StatsSeries, 'range' | 'bucketSeconds'>

/** Start and end of a bucket's part inside the range, in milliseconds. */
export function partOf(
  { range: { start, end }, bucketSeconds }: Cut,
  { t }: Pick<Points[number], 't'>,
) {
  const fromMs = Date.parse(t)
  const toMs = fromMs + bucketSeconds * 1000
  return {
    fromMs: start === null ? fromMs : Math.max(fromMs, Date.parse(start)),
    toMs: end === null ? toMs : Math.min(toMs, Date.parse(end)),
  }
}

/** Indexes of the buckets that are only partly in the range. */
export function findPartial(now: Cut, points: Points): readonly number[] {
  return points.flatMap((point, index) => {
    const { fromMs, toMs } = partOf(now, point)
    return toMs - fromMs < now.bucketSeconds * 1000 ? [index] : []
  })
}

/** Number of buckets on each side that a mean includes. */
const MEAN_REACH = 2

/** Means without the partial buckets. */
function wholeMeans(
  means: readonly (number | null)[] | undefined,
  counted: ChartLine['counted'],
  partial: readonly number[],
): readonly (number | null)[] | undefined {
  const isNear = (one: number, other: number) => Math.abs(one - other) <= MEAN_REACH
  return means?.map((mean, index) => {
    if (!partial.some((at) => isNear(at, index))) return mean
    const near = counted.filter((_, at) => isNear(at, index) && !partial.includes(at))
    return near.reduce<number>((sum, value) => sum + (value ?? 0), 0) / near.length
  })
}

/** Divisor of a bucket: its minutes in per-minute mode, else 1. A partial bucket has fewer minutes than the others. */
function minutesOf(now: StatsSeries, point: Points[number]): number {
  if (now.query.mode !== 'rate' || !addsUp(now)) return 1
  const { fromMs, toMs } = partOf(now, point)
  return Math.max(1000, toMs - fromMs) / 60_000
}

function remainder(total: ChartLine, lines: readonly ChartLine[]): ChartLine {
  const without = (which: 'counted' | 'drawn') =>
    total[which].map((value, index) =>
      value === null
        ? null
        : Math.max(0, value - lines.reduce((sum, line) => sum + (line[which][index] ?? 0), 0)),
    )
  return {
    id: 'other',
    label: '',
    style: 'other',
    counted: without('counted'),
    drawn: without('drawn'),
    sum: Math.max(0, total.sum - lines.reduce((sum, line) => sum + line.sum, 0)),
  }
}

/** The lines as drawn, lowest first: the isolated line alone, or all lines, stacked unless the form is `line`; with the total of what does not add up. */
export function drawnLines(
  { form, lines, total }: Pick<ChartLines, 'form' | 'lines' | 'total'>,
  isolated: string | null,
  isMuted = false,
): readonly ChartLine[] {
  const shown = lines.filter(({ id }) => isolated === null || id === isolated)
  if (isMuted && isolated === null) return [...shown, { ...total, style: 'total' }]
  if (form === 'line' || isolated !== null) return shown
  const sums = { counted: total.counted.map(() => 0), drawn: total.drawn.map(() => 0) }
  const stacked = (which: 'counted' | 'drawn', line: ChartLine) => {
    sums[which] = sums[which].map((sum, index) => sum + (line[which][index] ?? 0))
    // No bar of its own lies over another one of the same height.
    const isDrawn = (index: number) =>
      (total[which][index] ?? null) !== null && (form === 'area' || line[which][index] !== 0)
    return sums[which].map((sum, index) => (isDrawn(index) ? sum : null))
  }
  return shown.map((line) => ({
    ...line,
    counted: stacked('counted', line),
    drawn: stacked('drawn', line),
  }))
}

/** Drawn lines of the previous period: the total behind stacked areas, none behind bars, else one for each visible line. */
export function drawnPreviousLines(
  { form, previous }: Pick<ChartLines, 'form' | 'previous'>,
  isolated: string | null,
): readonly ChartLine[] {
  if (previous === null || form === 'bar') return []
  if (form === 'area' && isolated === null) return [previous.total]
  return previous.lines.filter(({ id }) => isolated === null || id === isolated)
}
