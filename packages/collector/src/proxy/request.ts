import type { Clock } from '@svc/core/service'
import ky from 'ky'
import { endingWith } from './answer-body.ts'
import { isClosedSocket, UpstreamError, upstreamErrorOf } from './upstream-error.ts'

export interface CallLimits {
  /** One deadline over connection, headers and body. */
  readonly seconds: number
  /** Ends the call early. */
  readonly stop: AbortSignal
}

/** Delay of the deadline's timer that reveals a suspended process. */
const LATE_MS = 1_000
/**
 * Extra time after a suspension. Timers run before data that has arrived in the meantime. It may be the answer, and usage records that the proxy
 * deleted on sending would be lost.
 */
const READ_ON_MS = 1_000

/**
 * Runs a call that ends by its deadline, or slightly later if the process was suspended, even if `task` ignores its signal. Throws UpstreamError:
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

export interface RequestDeps {
  readonly clock: Clock
  readonly fetch: typeof fetch
}

/** One request and the function that reads its answer. */
export interface UpstreamRequest<Answer> extends CallLimits {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Body of a POST, as an object or as text; a request without a body is a GET. */
  readonly json?: object | undefined
  readonly body?: string | undefined
  /** A redirect is never followed: `error` makes it a failure, `manual` an ordinary answer. */
  readonly redirect: 'error' | 'manual'
  /** With 2, a GET is sent again if its connection closed before the answer began. A POST is always sent only once. */
  readonly attemptsMax: 1 | 2
  /** Called with an answer of any status, within the deadline. */
  readonly read: (response: Response) => Answer | Promise<Answer>
}

// No compression: an encoded body has no bound once inflated, and the proxy compresses nothing. See docs/upstream.md#management-access.
const http = ky.create({
  headers: { 'accept-encoding': 'identity' },
  timeout: false,
  throwHttpErrors: false,
})

/** Sends a request and reads its answer before the deadline. Throws UpstreamError, either from `read` or for a failed connection. */
export async function sendRequest<Answer>(
  request: UpstreamRequest<Answer>,
  { clock, fetch }: RequestDeps,
): Promise<Answer> {
  const { url, headers = {}, json, body: text, redirect, attemptsMax, read } = request
  const body =
    json !== undefined
      ? { method: 'post', json }
      : text !== undefined
        ? { method: 'post', body: text }
        : {}
  const retry = {
    limit: attemptsMax - 1,
    delay: () => 0,
    shouldRetry: ({ error }: { readonly error: Error }) => isClosedSocket(error),
  }
  try {
    // Ky's own timeout would stop at the headers.
    return await withinDeadline(clock, request, async (signal) => {
      const answer = await http(url, { ...body, headers, redirect, retry, fetch, signal })
      return read(endingWith(signal, answer))
    })
  } catch (error) {
    throw upstreamErrorOf(error)
  }
}
