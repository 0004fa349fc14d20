import { useEffect, useState } from 'preact/hooks'

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
