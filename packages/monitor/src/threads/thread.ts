import { setFlagsFromString } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import { type Clock, errorPlace } from '@svc/core/service'
import { type Channel, type Methods, type NothingOffered, openChannel } from './channel.ts'
import { startWorker } from './program-files.ts'

/** A worker thread and the channel to it. */
export interface Thread<Far extends Methods<Far>> extends Omit<Channel<Far>, 'close'> {
  /** Ends the thread; calls under way fail. Does not resolve while the thread hangs in a system call. */
  terminate(): Promise<void>
  /** Waits until `closed`, then ends the thread. False if it hangs, so that only the end of the process ends it. */
  end(limits: CloseLimits, closed: Promise<unknown>): Promise<boolean>
}

export interface CloseLimits {
  readonly clock: Clock
  /** Longest wait for open resources to be closed. */
  readonly closeMs: number
}

/** Longest wait for a thread to end; a healthy one ends within milliseconds. */
const TERMINATE_MS_MAX = 500
/**
 * Room of a thread for the objects it has just made. V8 would let it grow to 48 MB, yet 1,000 accounts are evaluated as fast in 6, and 25 MB less are
 * resident. The thread that answers keeps V8's limit: a small room costs it a sixth of its requests.
 */
const YOUNG_GENERATION_MB = 6

export interface ThreadPlan<Near> {
  /** File of the thread. */
  readonly url: URL
  readonly name: string
  /** Initial data of the thread; it is copied. */
  readonly setup: unknown
  /** Methods that the thread may call here. */
  readonly near: Near
  /** Called once if the thread ends unasked, with the code or name and the place of the error that ended it; null without one. */
  readonly onCrash: (error: string | null) => void
}

/** Starts a thread that offers `Far`. */
export function startThread<Far extends Methods<Far>, Near extends Methods<Near> = NothingOffered>(
  plan: ThreadPlan<Near>,
): Thread<Far> {
  const { url, name, setup, near, onCrash } = plan
  const worker = startWorker(url, {
    workerData: setup,
    stdin: false,
    name,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  })
  const channel = openChannel<Far, Near>(worker, near)
  let isEnding = false
  let failure: string | null = null

  worker.once('online', collectEarly)
  worker.on('error', (error) => {
    failure = errorPlace(error)
  })
  worker.on('exit', () => {
    channel.close()
    if (!isEnding) onCrash(failure)
  })

  const terminate = async () => {
    isEnding = true
    channel.close()
    await worker.terminate()
  }

  return {
    ...channel,
    terminate,
    async end({ clock, closeMs }, closed) {
      await endsWithin(
        clock,
        closeMs,
        closed.catch(() => undefined),
      )
      return await endsWithin(clock, TERMINATE_MS_MAX, terminate())
    },
  }
}

/** Memory before speed: objects that lived longer grow by a fifth at most before they are collected. V8 resets it whenever a thread starts. */
function collectEarly(): void {
  setFlagsFromString('--heap-growing-percent=20')
}

/** Offers methods to the thread that has started this one. `near`: see `openChannel`. */
export function serveStarter<Near extends Methods<Near>, Far extends Methods<Far> = NothingOffered>(
  near: Near | ((far: Channel<Far>) => Near),
): void {
  if (parentPort === null) throw new Error('this file is run as a worker thread')
  openChannel<Far, Near>(parentPort, near)
}

/** Resolves with whether the work ended in time; the work is not cancelled. */
export async function endsWithin(
  clock: Clock,
  milliseconds: number,
  work: Promise<unknown>,
): Promise<boolean> {
  let cancel = () => {}
  const late = new Promise<boolean>((resolve) => {
    cancel = clock.schedule(milliseconds, () => resolve(false))
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    cancel()
  }
}
