import { Worker } from 'node:worker_threads'
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
  /** Ends the thread; calls under way fail. */
  terminate(): Promise<void>
}

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

  return {
    call(method, args, transfer = []) {
      if (state !== 'running') return Promise.reject(new WorkerCallError('crashed'))
      return new Promise((resolve, reject) => {
        nextId += 1
        pending.set(nextId, { resolve, reject })
        post({ id: nextId, method, args }, transfer)
      })
    },
    tell: (method, args, transfer = []) => post({ id: null, method, args }, transfer),
    pendingCount: () => pending.size,
    async terminate() {
      if (state === 'running') state = 'stopping'
      await worker.terminate()
    },
  }
}
