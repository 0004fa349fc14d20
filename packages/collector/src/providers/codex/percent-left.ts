/** Percent remaining, with one decimal; what is left of a window never rounds to nothing. */
export function percentLeft(usedPercent: number): number {
  const left = Math.min(100, Math.max(0, 100 - usedPercent))
  return left === 0 ? 0 : Math.max(0.1, Math.round(left * 10) / 10)
}
