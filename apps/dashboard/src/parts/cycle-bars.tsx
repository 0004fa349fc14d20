import { percentText } from '@svc/views/format'
import { zone } from '../state/live-data.ts'
import type { WindowHistory } from '../state/quota-history.ts'
import { cycleWords } from '../words/chart-words.ts'
import { strings } from '../words/strings.ts'

type Cycle = WindowHistory['cycles'][number]

interface BarsProps {
  readonly cycles: readonly Cycle[]
  readonly x: (ms: number) => number
  readonly y: (percent: number) => number
}

/** Share of a bar's width that stays empty, to separate neighbours. */
const APART = 0.15
/** Minimum height of a bar, in percent, so that little use does not look like none. */
const PERCENT_MIN = 3
/** Position of the stroke above a bar of a window that ran dry. It distinguishes the bar from a nearly full one without colour. */
const DRY_MARK = { y: -5, height: 2.5 }
const DAY_MS = 86_400_000

/** One bar for each window: the width is its duration, the height its use. Hatched if some use may have gone unrecorded. */
export function CycleBars({ cycles, x, y }: BarsProps) {
  return (
    <>
      {cycles.map((cycle) => {
        const left = x(Date.parse(cycle.start))
        const top = y(Math.max(PERCENT_MIN, cycle.usedPercent))
        const place = { x: left, width: (x(Date.parse(cycle.end)) - left) * (1 - APART) }
        return (
          <g
            key={cycle.start}
            class={isDry(cycle) ? 'dry' : hasUnknownEnd(cycle) ? 'stale' : 'known'}
          >
            <rect {...place} y={top} height={y(0) - top} />
            {isDry(cycle) && <rect {...place} {...DRY_MARK} />}
          </g>
        )
      })}
    </>
  )
}

export function cycleReadout(cycles: readonly Cycle[], atMs: number, endMs: number): string {
  const cycle = cycles.find(({ start, end }) => Date.parse(start) <= atMs && atMs < Date.parse(end))
  return cycle === undefined
    ? strings.reading(zone.value.momentText(atMs, endMs), cycleWords.notBegun)
    : strings.reading(
        spanText(cycle, endMs),
        strings.listOf([usedText(cycle), restText(cycle)].filter(Boolean)),
      )
}

/** The windows as rows of a table, newest first. */
export function cycleRows(cycles: readonly Cycle[], endMs: number) {
  return cycles.toReversed().map((cycle) => ({
    key: cycle.start,
    head: spanText(cycle, endMs),
    what: usedText(cycle),
    detail: restText(cycle),
  }))
}

/** Text with the number of windows and of those that ran dry. */
export function cycleCount(cycles: readonly Cycle[]): string {
  return cycleWords.table(cycles.length, cycles.filter(isDry).length)
}

function isDry({ usedPercent }: Cycle): boolean {
  return usedPercent === 100
}

function hasUnknownEnd({ state, expiredPercent }: Cycle): boolean {
  return state === 'ended' && expiredPercent === null
}

function spanText({ start, end }: Cycle, nowMs: number): string {
  const [from, to] = [Date.parse(start), Date.parse(end)]
  const { dateText, momentText } = zone.value
  // A week begins and ends on the same day of the week.
  const textOf = (at: number) => (to - from < DAY_MS ? momentText(at, nowMs) : dateText(at))
  return strings.momentSpan(textOf(from), textOf(to))
}

function usedText(cycle: Cycle): string {
  if (isDry(cycle)) return cycleWords.ranDry
  // Never rounded up to all of it.
  const percent = percentText(Math.min(99, cycle.usedPercent))
  return hasUnknownEnd(cycle) ? cycleWords.usedAtLeast(percent) : cycleWords.used(percent)
}

function restText({ state, expiredPercent }: Cycle): string {
  if (state !== 'ended') return cycleWords.states[state]
  if (expiredPercent === 0) return ''
  return expiredPercent === null
    ? cycleWords.endUnknown
    : cycleWords.expired(percentText(expiredPercent))
}
