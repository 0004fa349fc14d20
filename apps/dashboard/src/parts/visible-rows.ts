import { signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'

/** Maximum number of rows that are all drawn; in a longer list, rows out of sight are omitted. */
const ALL_ROWS_MAX = 80
/** Rows drawn beyond each edge of the screen. */
const MARGIN_ROWS = 15
const ROW_HEIGHT = 39

export interface VisibleRows {
  readonly first: number
  readonly end: number
  /** Total height of the omitted rows above and below, in pixels. */
  readonly before: number
  readonly after: number
  /** Measures the height of a row; call after each rendering. */
  measure(): void
}

/** Range of rows of equal height that are visible at the current scroll position. `body` starts with the rows, or with a table's heads. */
export function useVisibleRows(body: RefObject<HTMLElement | null>, count: number): VisibleRows {
  const state = useMemo(
    () => ({
      range: signal({ first: 0, end: ALL_ROWS_MAX }),
      rowHeight: ROW_HEIGHT,
    }),
    [],
  )
  const isPrinting = usePrinting()
  // Paper shows all rows.
  const isLong = count > ALL_ROWS_MAX && !isPrinting
  const look = () => {
    const element = body.current
    if (element === null || !isLong) return
    const top = -element.getBoundingClientRect().top
    const first = Math.max(0, Math.floor(top / state.rowHeight) - MARGIN_ROWS)
    const end = Math.ceil((top + innerHeight) / state.rowHeight) + MARGIN_ROWS
    const known = state.range.value
    // Changes the range only shortly before it is left, so that most scrolling renders nothing.
    if (
      Math.abs(known.first - first) >= MARGIN_ROWS / 2 ||
      Math.abs(known.end - end) >= MARGIN_ROWS / 2
    )
      state.range.value = { first, end }
  }
  useEffect(() => {
    look()
    addEventListener('scroll', look, { passive: true })
    addEventListener('resize', look)
    return () => {
      removeEventListener('scroll', look)
      removeEventListener('resize', look)
    }
  })
  const first = isLong ? Math.min(state.range.value.first, Math.max(0, count - 1)) : 0
  const end = isLong ? Math.min(count, Math.max(state.range.value.end, first + 1)) : count
  return {
    first,
    end,
    before: first * state.rowHeight,
    after: (count - end) * state.rowHeight,
    measure() {
      const row = body.current?.querySelector<HTMLElement>(
        'tr:not(.spacer, .group, .plan-head, thead tr)',
      )
      if (row != null && row.offsetHeight > 0) state.rowHeight = row.offsetHeight
    },
  }
}

/** Rows drawn in the first frame, and added by each later frame. */
const ROWS_AT_ONCE = 40

/** Number of rows to draw now. Grows with each frame, so that the page responds before all rows are drawn. */
export function useGrowingCount(count: number): number {
  const [drawn, setDrawn] = useState(ROWS_AT_ONCE)
  useEffect(() => {
    if (drawn >= count) return
    const timer = setTimeout(() => setDrawn(drawn + ROWS_AT_ONCE))
    return () => clearTimeout(timer)
  }, [drawn, count])
  return Math.min(drawn, count)
}

/** Whether the page is being printed; a printed page has nothing to unfold. */
export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    const begin = () => setPrinting(true)
    const end = () => setPrinting(false)
    addEventListener('beforeprint', begin)
    addEventListener('afterprint', end)
    return () => {
      removeEventListener('beforeprint', begin)
      removeEventListener('afterprint', end)
    }
  }, [])
  return isPrinting
}
