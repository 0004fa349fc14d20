/** How long something took, for the table of what was seen; nothing is compared with it. */
export function secondsSince(startMs: number): string {
  return ((performance.now() - startMs) / 1000).toFixed(1)
}
