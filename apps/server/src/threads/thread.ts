import { parentPort, Worker } from 'node:worker_threads'
import type { Clock } from '@svc/core'
import { type Channel, type Methods, openChannel, type Port } from './channel.ts'

/** A worker thread and the channel to it. */
export interface Thread<Far extends Methods<Far>> extends Omit<Channel<Far>, 'close'> {
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

export interface ThreadPlan {
  /** File of the thread. */
  readonly url: URL
  readonly name: string
  /** What the thread begins with; it is copied. */
  readonly setup: unknown
  /** Called once when the thread has ended without being told to. */
  readonly onCrash: () => void
}

/** Starts a thread that offers `Far`, at least a method that closes what it has open. */
export function startThread<Far extends Methods<Far> & { close(): void }>({ url, name, setup, onCrash }: ThreadPlan): Thread<Far> {
  const worker = new Worker(url, { workerData: setup, stdin: false, name })
  const channel = openChannel<Far>(worker, {})
  let isEnding = false

  // The exit that follows says the same.
  worker.on('error', () => undefined)
  worker.on('exit', () => {
    channel.close()
    if (!isEnding) onCrash()
  })

  const terminate = async () => {
    isEnding = true
    await worker.terminate()
  }

  return {
    ...channel,
    terminate,
    async close({ clock, closeMs }) {
      const closed = channel.call('close', [] as never).catch(() => undefined)
      await endsWithin(clock, closeMs, closed)
      return await endsWithin(clock, TERMINATE_MS_MAX, terminate())
    },
  }
}

/** The port to the thread that has started this one. */
export function portOfStarter(): Port {
  if (parentPort === null) throw new Error('this file is run as a worker thread')
  return parentPort
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
