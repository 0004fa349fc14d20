import { useEffect, useState } from 'preact/hooks'

/** Rows of the first frame, and rows that each later frame adds. */
const ROWS_AT_ONCE = 40

/** Number of rows to draw now. It grows by each frame, so that a press gets an answer before all rows are drawn. */
export function useGrowingCount(count: number): number {
  const [drawn, setDrawn] = useState(ROWS_AT_ONCE)
  useEffect(() => {
    if (drawn >= count) return
    const timer = setTimeout(() => setDrawn(drawn + ROWS_AT_ONCE))
    return () => clearTimeout(timer)
  }, [drawn, count])
  return Math.min(drawn, count)
}
