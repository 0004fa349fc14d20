import { signal } from '@preact/signals'
import type { QuotaCourse } from '@svc/views'
import { followAnswer } from './ask-regularly.ts'

export type WindowHistory = QuotaCourse['windows'][number]
export type HistoryPoint = WindowHistory['points'][number]

/** A percentage and its time of validity in epoch milliseconds. */
export interface Level {
  readonly fromMs: number
  readonly toMs: number
  readonly point: HistoryPoint
}

interface Span {
  readonly startMs: number
  readonly endMs: number
}

/** Percentages with their times of validity, oldest first and cut to the range. Each reading is valid until the next one; a gap has no level. */
export function levelsIn({ points, gaps }: WindowHistory, { startMs, endMs }: Span): Level[] {
  const holes = gaps.map(({ from, to }) => ({ fromMs: Date.parse(from), toMs: Date.parse(to) }))
  return points.flatMap((point, index) => {
    const next = points[index + 1]
    let fromMs = Math.max(startMs, Date.parse(point.t))
    const toMs = Math.min(endMs, next === undefined ? endMs : Date.parse(next.t))
    const parts: Level[] = []
    for (const hole of holes) {
      if (hole.toMs <= fromMs || hole.fromMs >= toMs) continue
      if (hole.fromMs > fromMs) parts.push({ fromMs, toMs: hole.fromMs, point })
      fromMs = hole.toMs
    }
    return fromMs < toMs ? [...parts, { fromMs, toMs, point }] : parts
  })
}

/** The lines of a chart as one SVG path: a stair for each stretch without a gap. `x` and `y` map a time and a percent to their positions. */
export function stairPath(
  standings: readonly Level[],
  { x, y }: { readonly x: (ms: number) => number; readonly y: (percent: number) => number },
): string {
  const at = (value: number) => value.toFixed(1)
  return standings
    .map(({ fromMs, toMs, point }, index) => {
      const goesOn = standings[index - 1]?.toMs === fromMs
      const height = at(y(point.percent))
      const start = goesOn ? `V${height}` : `M${at(x(fromMs))} ${height}`
      return `${start}H${at(x(toMs))}`
    })
    .join('')
}

/** The percent valid at a time; null in a gap. */
export function levelAt(standings: readonly Level[], ms: number): Level | null {
  return standings.findLast(({ fromMs, toMs }) => fromMs <= ms && ms <= toMs) ?? null
}

type HistoryRange = QuotaCourse['range']['id']

/** Range of the charts in the drawer. */
export const historyRange = signal<HistoryRange>('24h')
/** The last course received; null before the first answer. It may still belong to the previously open account. */
export const quotaHistory = signal<QuotaCourse | null>(null)
export const historyFailed = signal(false)

const REFRESH_MS = 60_000

/** Requests the course of this account now, and regularly while the page is visible. The returned function ends it. */
export function followQuotaHistory(accountKey: string, range: HistoryRange): () => void {
  const path = `/api/v1/accounts/${encodeURIComponent(accountKey)}/quota?range=${range}`
  return followAnswer(path, quotaHistory, historyFailed, REFRESH_MS)
}
