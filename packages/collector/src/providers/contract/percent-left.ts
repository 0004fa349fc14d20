/** Percent left, with one decimal; a remainder never rounds to 0. Null for a share below 0 or none, which tells nothing. */
export function percentLeft(usedPercent: number | null): number | null {
  if (usedPercent === null || !(usedPercent >= 0)) return null
  const left = Math.max(0, 100 - usedPercent)
  return left === 0 ? 0 : Math.max(0.1, Math.round(left * 10) / 10)
}

/** Percent left by a share that is left, 0..1; null for an impossible one. */
export function percentOfShareLeft(share: number | null): number | null {
  return share === null || share < 0 ? null : percentLeft(100 - share * 100)
}
