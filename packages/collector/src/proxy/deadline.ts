import type { Clock } from '@svc/core/service'
import { UpstreamError } from './upstream-error.ts'

export interface CallLimits {
  /** One deadline over connection, headers and body. */
  readonly seconds: number
  /** Ends the call early. */
  readonly stop: AbortSignal
}

/** Runs a call that ends, one way or the other, within its deadline, even if `task` ignores its signal. Throws UpstreamError: timeout. */
export async function withinDeadline<Value>(
  clock: Clock,
  { seconds, stop }: CallLimits,
  task: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController()
  const { signal } = controller
  const onStop = () => controller.abort(new UpstreamError('unreachable', 'the call was stopped'))
  if (stop.aborted) onStop()
  signal.throwIfAborted()
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  stop.addEventListener('abort', onStop, { once: true })
  const cancelTimer = clock.schedule(seconds * 1000, () =>
    controller.abort(new UpstreamError('timeout', `no complete answer in ${seconds} s`)),
  )
  try {
    return await Promise.race([task(signal), ended])
  } finally {
    cancelTimer()
    stop.removeEventListener('abort', onStop)
  }
}
