/** A budget of so many calls a minute that starts full. Times are monotonic milliseconds. */
export interface TokenBucket {
  /** When a token will be there, `nowMs` when one is. */
  nextAtMs(nowMs: number): number
  /** Takes a token; call only from `nextAtMs` on. */
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
    nextAtMs(atMs) {
      count(atMs)
      // A sum of fractions may end a hair below one.
      return tokens >= 1 - 1e-6 ? atMs : atMs + (1 - tokens) * msPerToken
    },
    take(atMs) {
      count(atMs)
      tokens -= 1
    },
  }
}
