import type { Signal } from '@preact/signals'

/** Wait after a first failure, in milliseconds; each further failure in a row doubles it. */
const RETRY_MS = 2_000
const running = new Set<() => void>()

/** The service refuses a question as it is. The same question is refused again, so it waits for its regular turn. */
export class Refused extends Error {
  /** Body of the answer. */
  readonly refusal: unknown
  constructor(refusal: unknown) {
    super('refused')
    this.refusal = refusal
  }
}

/**
 * Sends a request now and every `everyMs` milliseconds while the page is visible, and sooner after it failed. The returned function ends this
 * and aborts a running request, which then counts as no failure.
 */
export function askRegularly(
  ask: (stop: AbortSignal) => Promise<void>,
  everyMs: number,
  onFailure: (error: unknown) => void = () => {},
): () => void {
  const stop = new AbortController()
  let failures = 0
  let retry: ReturnType<typeof setTimeout> | undefined
  const askNow = async () => {
    clearTimeout(retry)
    try {
      await ask(stop.signal)
      failures = 0
    } catch (error) {
      if (stop.signal.aborted) return
      clearTimeout(retry)
      const isRefused = error instanceof Refused
      if (!isRefused) retry = setTimeout(askIfVisible, Math.min(everyMs, RETRY_MS * 2 ** failures))
      failures = isRefused ? 0 : failures + 1
      onFailure(error)
    }
  }
  const askIfVisible = () => {
    if (!document.hidden) void askNow()
  }
  running.add(askNow)
  void askNow()
  const timer = setInterval(askIfVisible, everyMs)
  return () => {
    running.delete(askNow)
    stop.abort()
    clearInterval(timer)
    clearTimeout(retry)
  }
}

/** Requests a path. Throws `Refused` if the service refuses the question, another error if it does not answer. */
export async function fetchAnswer<Answer>(path: string, stop: AbortSignal): Promise<Answer> {
  const response = await fetch(path, { cache: 'no-store', signal: stop })
  if (response.status === 400 || response.status === 422) throw new Refused(await response.json())
  if (!response.ok) throw new Error(`status ${response.status}`)
  return (await response.json()) as Answer
}

/** Keeps the newest answer to a path, and whether the last request for it failed, while the page is visible; the returned function ends this. */
export function followAnswer<Answer>(
  path: string,
  answer: Signal<Answer | null>,
  failed: Signal<boolean>,
  everyMs: number,
): () => void {
  return askRegularly(
    async (stop) => {
      answer.value = await fetchAnswer<Answer>(path, stop)
      failed.value = false
    },
    everyMs,
    () => {
      failed.value = true
    },
  )
}

export function askAllNow(): void {
  for (const askNow of running) askNow()
}
