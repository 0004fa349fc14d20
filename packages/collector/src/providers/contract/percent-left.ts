/** Percent left, with one decimal; a remainder never rounds to 0. */
export function percentLeft(usedPercent: number): number {
  const left = Math.min(100, Math.max(0, 100 - usedPercent))
  return left === 0 ? 0 : Math.max(0.1, Math.round(left * 10) / 10)
}
