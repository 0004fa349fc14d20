import { Worker } from 'node:worker_threads'
import type { Clock } from '@svc/core'
import type { WorkerAnswer, WorkerCall } from '../workers/serve-calls.ts'

/** A call to a worker that brought nothing. `code` is what went wrong there; `crashed` when the worker itself ended; `detail` says more, with what helps, where more is known. */
export class WorkerCallError extends Error {
  override readonly name = 'WorkerCallError'
  readonly code: string
  readonly detail: string | null

  constructor(code: string, detail: string | null = null) {
    super(`the worker answered ${code}`)
    this.code = code
    this.detail = detail
  }
}

/** One worker thread and the calls it has under way. */
export interface WorkerCalls {
  /** Rejects with WorkerCallError. What is in `transfer` is gone here afterwards. */
  call(method: string, args: readonly unknown[], transfer?: readonly ArrayBuffer[]): Promise<unknown>
  /** A call whose answer nobody waits for. */
  tell(method: string, args: readonly unknown[], transfer?: readonly ArrayBuffer[]): void
  /** Calls without an answer so far. */
  pendingCount(): number
  /** Ends the thread; calls under way fail. Does not resolve while the thread hangs in a call of the system. */
  terminate(): Promise<void>
  /** Lets the thread close what it has open, then ends it. False when it hangs, so that nothing but the end of the process ends it. */
  close(limits: CloseLimits): Promise<boolean>
}

export interface CloseLimits {
  readonly clock: Clock
  /** Longest wait for what is open to be closed. */
  readonly closeMs: number
}

/** A thread that runs ends within milliseconds. */
const TERMINATE_MS_MAX = 500

export interface WorkerPlan {
  readonly url: URL
  readonly workerData: unknown
  /** Called once when the thread has ended without being told to. */
  readonly onCrash: () => void
}

export function startWorker({ url, workerData, onCrash }: WorkerPlan): WorkerCalls {
  const worker = new Worker(url, { workerData, stdin: false, name: 'store' })
  const pending = new Map<number, { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }>()
  let nextId = 0
  let state: 'running' | 'stopping' | 'ended' = 'running'

  worker.on('message', (answer: WorkerAnswer) => {
    const call = pending.get(answer.id)
    pending.delete(answer.id)
    if (answer.ok) call?.resolve(answer.value)
    else call?.reject(new WorkerCallError(answer.code ?? 'internal', answer.detail))
  })
  // The exit that follows says the same.
  worker.on('error', () => undefined)
  worker.on('exit', () => {
    const wasRunning = state === 'running'
    state = 'ended'
    for (const { reject } of pending.values()) reject(new WorkerCallError('crashed'))
    pending.clear()
    if (wasRunning) onCrash()
  })

  const post = (call: WorkerCall, transfer: readonly ArrayBuffer[]) => {
    if (state === 'running') worker.postMessage(call, [...transfer])
  }

  const call: WorkerCalls['call'] = (method, args, transfer = []) => {
    if (state !== 'running') return Promise.reject(new WorkerCallError('crashed'))
    return new Promise((resolve, reject) => {
      nextId += 1
      pending.set(nextId, { resolve, reject })
      post({ id: nextId, method, args }, transfer)
    })
  }
  const terminate = async () => {
    if (state === 'running') state = 'stopping'
    await worker.terminate()
  }

  return {
    call,
    tell: (method, args, transfer = []) => post({ id: null, method, args }, transfer),
    pendingCount: () => pending.size,
    terminate,
    async close({ clock, closeMs }) {
      const closed = call('close', []).catch(() => undefined)
      await endsWithin(clock, closeMs, closed)
      return await endsWithin(clock, TERMINATE_MS_MAX, terminate())
    },
  }
}

/** Whether the work ends in this time; it goes on if it does not. */
export async function endsWithin(clock: Clock, milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  let cancel = () => {}
  const late = new Promise<boolean>((resolve) => {
    cancel = clock.schedule(milliseconds, () => resolve(false))
  })
  const inTime = await Promise.race([work.then(() => true), late])
  cancel()
  return inTime
}
