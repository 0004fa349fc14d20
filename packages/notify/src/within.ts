import type { Clock } from '@svc/core/service'

/** Resolves like the promise. Rejects after this time or when stopped, regardless of the promise. */
export async function within<Value>(
  clock: Clock,
  ms: number,
  promise: Promise<Value>,
  stop?: AbortSignal,
): Promise<Value> {
  let end = (): void => undefined
  const late = new Promise<never>((_, reject) => {
    end = () => reject(new Error('too late'))
  })
  const cancel = clock.schedule(ms, end)
  stop?.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([promise, late])
  } finally {
    cancel()
    stop?.removeEventListener('abort', end)
  }
}
