import { parentPort } from 'node:worker_threads'
import { HistoryError } from '@svc/history'

/** One call of the main thread; `id` null expects no answer. */
export interface WorkerCall {
  readonly id: number | null
  readonly method: string
  readonly args: readonly unknown[]
}

/** The answer to a call. A failure carries a code, or none when it was not foreseen, and a line for a person where there is one. */
export type WorkerAnswer =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly code: string | null; readonly detail: string | null }

type Handlers = Readonly<Record<string, (...args: never[]) => unknown>>

/** Answers the calls of the main thread, one after the other. What a handler throws with a text `code` reaches the caller as that code. */
export function serveCalls(handlers: Handlers): void {
  const port = parentPort
  if (port === null) throw new Error('this file is run as a worker thread')
  port.on('message', ({ id, method, args }: WorkerCall) => {
    const answer = answerOf(handlers, id ?? -1, method, args)
    if (id !== null) port.postMessage(answer)
  })
}

function answerOf(handlers: Handlers, id: number, method: string, args: readonly unknown[]): WorkerAnswer {
  try {
    const handler = handlers[method]
    if (handler === undefined) return { id, ok: false, code: null, detail: null }
    return { id, ok: true, value: handler(...(args as never[])) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
    // The caller learns that it failed; what an unforeseen error is goes to the crash handler of the process.
    if (code === null) throw error
    const detail = error instanceof HistoryError && error.remedy !== null ? `${error.message}. ${error.remedy}` : null
    return { id, ok: false, code, detail }
  }
}
