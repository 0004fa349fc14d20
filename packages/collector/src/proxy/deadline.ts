import type { Clock } from '@svc/core/service'
import { UpstreamError } from './upstream-error.ts'

export interface CallLimits {
  /** One deadline over connection, headers and body. */
  readonly seconds: number
  /** Ends the call early. */
  readonly stop: AbortSignal
}

/** A deadline that fires this late shows that the process was suspended. */
const LATE_MS = 1_000
/** Extra time after a suspension. Timers run before data that arrived meanwhile: that data may be the answer, and its popped records would be lost. */
const READ_ON_MS = 1_000

/**
 * Runs a call that ends within its deadline, even if `task` ignores its signal; slightly later if the process was suspended. Throws UpstreamError:
 * timeout.
 */
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
  const expire = () =>
    controller.abort(new UpstreamError('timeout', `no complete answer in ${seconds} s`))
  const dueMs = clock.monotonicMs() + seconds * 1000
  let cancelTimer = clock.schedule(seconds * 1000, () => {
    if (clock.monotonicMs() - dueMs < LATE_MS) expire()
    else cancelTimer = clock.schedule(READ_ON_MS, expire)
  })
  try {
    return await Promise.race([task(signal), ended])
  } finally {
    cancelTimer()
    stop.removeEventListener('abort', onStop)
  }
}
