/** A budget of calls per minute that starts full. Times are monotonic milliseconds. */
export interface TokenBucket {
  /** Time of the next token, `nowMs` if one is available; with `count`, of the last of that many. */
  nextAtMs(nowMs: number, count?: number): number
  /** Takes a token; call it only from `nextAtMs` on. */
  take(nowMs: number): void
}

export function createTokenBucket(perMinute: number, nowMs: number): TokenBucket {
  const msPerToken = 60_000 / perMinute
  let tokens = perMinute
  let countedAtMs = nowMs
  const count = (atMs: number) => {
    tokens = Math.min(perMinute, tokens + (atMs - countedAtMs) / msPerToken)
    countedAtMs = atMs
  }
  return {
    nextAtMs(atMs, wanted = 1) {
      count(atMs)
      // A sum of fractions may end slightly below a whole number.
      return tokens >= wanted - 1e-6 ? atMs : atMs + (wanted - tokens) * msPerToken
    },
    take(atMs) {
      count(atMs)
      tokens -= 1
    },
  }
}
