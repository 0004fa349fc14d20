import { useEffect, useState } from 'preact/hooks'

/** So many rows are drawn with the first picture, and as many more with each of the next. */
const ROWS_AT_ONCE = 40

/** How many of so many rows to draw now: more from picture to picture, so that a press is answered before all are there. */
export function useGrowingCount(count: number): number {
  const [drawn, setDrawn] = useState(ROWS_AT_ONCE)
  useEffect(() => {
    if (drawn >= count) return
    const timer = setTimeout(() => setDrawn(drawn + ROWS_AT_ONCE))
    return () => clearTimeout(timer)
  }, [drawn, count])
  return Math.min(drawn, count)
}
