/** Asks now and every `everyMs` milliseconds while the page can be seen; the returned function ends it, and the question that is under way. */
export function askRegularly(ask: (stop: AbortSignal) => void, everyMs: number): () => void {
  const stop = new AbortController()
  ask(stop.signal)
  const timer = setInterval(() => {
    if (!document.hidden) ask(stop.signal)
  }, everyMs)
  return () => {
    stop.abort()
    clearInterval(timer)
  }
}
