const running = new Set<() => void>()

/** Sends a request now and every `everyMs` milliseconds while the page is visible; the returned function ends this, and aborts the request under way. */
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

/** Sends all regular requests at once. */
export function askAllNow(): void {
  for (const askNow of running) askNow()
}
