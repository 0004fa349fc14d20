import type { Signal } from '@preact/signals'

const running = new Set<() => void>()

/** Sends a request now and every `everyMs` milliseconds while the page is visible. The returned function ends this and aborts a running request. */
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

/** Keeps the newest answer to a path, and whether the last request for it failed, while the page is visible; the returned function ends this. */
export function followAnswer<Answer>(
  path: string,
  answer: Signal<Answer | null>,
  failed: Signal<boolean>,
  everyMs: number,
): () => void {
  return askRegularly((stop) => void load(path, answer, failed, stop), everyMs)
}

async function load<Answer>(
  path: string,
  answer: Signal<Answer | null>,
  failed: Signal<boolean>,
  stop: AbortSignal,
): Promise<void> {
  try {
    const response = await fetch(path, { cache: 'no-store', signal: stop })
    if (!response.ok) throw new Error(`status ${response.status}`)
    answer.value = (await response.json()) as Answer
    failed.value = false
  } catch {
    if (!stop.aborted) failed.value = true
  }
}

export function askAllNow(): void {
  for (const askNow of running) askNow()
}
