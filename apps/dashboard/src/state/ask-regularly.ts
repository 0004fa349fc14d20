const running = new Set<() => void>()

/** Asks now and every `everyMs` milliseconds while the page can be seen; the returned function ends it, and the question that is under way. */
export function askRegularly(ask: (stop: AbortSignal) => void, everyMs: number): () => void {
  const stop = new AbortController()
  const askNow = () => ask(stop.signal)
  running.add(askNow)
  askNow()
  const timer = setInterval(() => {
    if (!document.hidden) askNow()
  }, everyMs)
  return () => {
    running.delete(askNow)
    stop.abort()
    clearInterval(timer)
  }
}

/** Asks at once whatever is asked regularly. */
export function askAllNow(): void {
  for (const askNow of running) askNow()
}
