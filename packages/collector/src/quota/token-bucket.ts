/** A budget of so many calls a minute that starts full. Times are monotonic milliseconds. */
export interface TokenBucket {
  /** When a token will be there, `nowMs` when one is; of several that are taken as they come, the last one. */
  nextAtMs(nowMs: number, count?: number): number
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
    nextAtMs(atMs, wanted = 1) {
      count(atMs)
      // A sum of fractions may end a hair below one.
      return tokens >= wanted - 1e-6 ? atMs : atMs + (wanted - tokens) * msPerToken
    },
    take(atMs) {
      count(atMs)
      tokens -= 1
    },
  }
}
