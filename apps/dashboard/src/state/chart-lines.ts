import type { StatsSeries } from '@svc/views'

/** Lines that can be told apart at one glance; the rest of them is drawn as one. */
export const LINES_MAX = 8

/** One line of the chart. Null: nothing is known of that bucket. */
export interface ChartLine {
  readonly id: string
  /** Empty for what is left of everything. */
  readonly label: string
  /** 1 to LINES_MAX, or what is left of everything. */
  readonly style: number | 'other'
  /** Each bucket as it was counted, by the minute where the chart is. */
  readonly counted: readonly (number | null)[]
  /** What is drawn: the same, or its centred mean; nothing of a bucket that is not over, which would look like a fall. */
  readonly drawn: readonly (number | null)[]
  /** Of the whole range, in what the chart counts. */
  readonly sum: number
}

/** The lines of a chart, and everything in one line. */
export interface ChartLines {
  /** Start of each bucket in seconds since 1970. */
  readonly times: readonly number[]
  readonly lines: readonly ChartLine[]
  readonly total: ChartLine
  readonly isSmooth: boolean
  /** The last bucket where that is not over, so that its numbers still grow; null where it is. */
  readonly runningIndex: number | null
  /** The same lines as they were before, bucket by bucket; null where they are not compared. */
  readonly previous: PreviousLines | null
}

/** Lines of the time before; `lines` has one for each line of the chart that has a name. */
export interface PreviousLines {
  readonly lines: readonly ChartLine[]
  readonly total: ChartLine
}

type WireLine = StatsSeries['series'][number]
type Metric = 'tokens' | 'requests' | 'failed'

const SMOOTH = {
  tokens: 'smoothTokens',
  requests: 'smoothRequests',
  failed: 'smoothFailed',
} as const

/** Puts together what a chart draws. */
export function chartLinesOf(now: StatsSeries): ChartLines {
  const all = now.total?.points ?? []
  const total = lineOf(now, now.total, 'other')
  const lines = now.series.slice(0, LINES_MAX).map((line, index) => lineOf(now, line, index + 1))
  const other = leftOf(total, lines)
  return {
    times: all.map(({ t }) => Date.parse(t) / 1000),
    lines: other.sum > 0 ? [...lines, other] : lines,
    total,
    isSmooth: now.query.smooth,
    runningIndex: runningIndexOf(now, all),
    previous: previousOf(now),
  }
}

function previousOf(now: StatsSeries): PreviousLines | null {
  const { previous } = now
  if (previous === null) return null
  const then = { ...now, range: { ...now.range, end: previous.end } }
  return {
    lines: previous.series.slice(0, LINES_MAX).map((line, index) => lineOf(then, line, index + 1)),
    total: lineOf(then, previous.total, 'other'),
  }
}

function lineOf(now: StatsSeries, line: WireLine | null, style: ChartLine['style']): ChartLine {
  const metric: Metric = now.query.metric
  const points = line?.points ?? []
  const counted = points.map((point) =>
    point.unknown ? null : point[metric] / minutesOf(now, point),
  )
  const runningIndex = runningIndexOf(now, points)
  const smooth = wholeMeans(line?.[SMOOTH[metric]], counted, runningIndex)
  return {
    id: line?.id ?? '',
    label: line?.label ?? '',
    style,
    counted,
    drawn: counted.map((value, index) =>
      value === null || index === runningIndex ? null : (smooth?.[index] ?? value),
    ),
    sum: line?.[metric] ?? 0,
  }
}

type Points = WireLine['points']

/** The last bucket where that is not over at the end of the range. */
export function runningIndexOf(
  { range: { end }, bucketSeconds }: Pick<StatsSeries, 'range' | 'bucketSeconds'>,
  points: Points,
): number | null {
  const last = points.at(-1)
  if (last === undefined || end === null) return null
  return Date.parse(last.t) + bucketSeconds * 1000 > Date.parse(end) ? points.length - 1 : null
}

/** How many buckets on either side a mean reaches. */
const MEAN_REACH = 2

/** The means without the bucket that is not over. */
function wholeMeans(
  means: readonly number[] | undefined,
  counted: ChartLine['counted'],
  runningIndex: number | null,
): readonly number[] | undefined {
  if (runningIndex === null) return means
  const whole = counted.slice(0, runningIndex)
  return means?.map((mean, index) => {
    if (index < runningIndex - MEAN_REACH) return mean
    const near = whole.slice(Math.max(0, index - MEAN_REACH))
    return near.reduce<number>((sum, value) => sum + (value ?? 0), 0) / near.length
  })
}

/** What a bucket is divided by: its minutes, or nothing. The last bucket is still running. */
function minutesOf({ query, range, bucketSeconds }: StatsSeries, { t }: Points[number]): number {
  if (query.mode !== 'rate') return 1
  const passedMs =
    range.end === null ? Number.POSITIVE_INFINITY : Date.parse(range.end) - Date.parse(t)
  return Math.min(bucketSeconds * 1000, Math.max(1000, passedMs)) / 60_000
}

/** Everything without these lines. */
function leftOf(total: ChartLine, lines: readonly ChartLine[]): ChartLine {
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
