import type { Clock, LeaseName, Leases, Log } from '@svc/core/service'
import { ChannelError } from '../threads/channel.ts'
import { endsWithin, startThread, type Thread } from '../threads/thread.ts'

export interface StoreLeasesDeps {
  /** Initial data of the thread. */
  readonly setup: {
    readonly location: string
    readonly passwordFile: string | null
    readonly holder: string
  }
  readonly workerUrl: URL
  readonly clock: Clock
  readonly log: Log
}

/** Longest wait for an answer in milliseconds; a later one is useless, and its thread is replaced. */
const ANSWER_MS_MAX = 5_000
const CLOSE_MS_MAX = 1_000

/** Leases of a database, requested in a thread of their own: decoding a large answer or a slow commit must not delay them. */
export function createStoreLeases({ setup, workerUrl, clock, log }: StoreLeasesDeps): Leases {
  let thread: Thread<Leases> | null = null

  const running = (): Thread<Leases> => {
    thread ??= startThread<Leases>({
      url: workerUrl,
      name: 'store-leases',
      setup,
      near: {},
      onCrash(error) {
        log.error('thread of the leases ended', { error })
        thread = null
      },
    })
    return thread
  }
  const ask = async <Answer>(question: (asked: Thread<Leases>) => Promise<Answer>) => {
    const asked = running()
    const answer = question(asked)
    if (await endsWithin(clock, ANSWER_MS_MAX, answer)) return answer
    if (thread === asked) thread = null
    void asked.terminate()
    throw new ChannelError('unreachable')
  }

  return {
    take: (names: readonly LeaseName[]) => ask((asked) => asked.call('take', [names])),
    standing: (names) => ask((asked) => asked.call('standing', [names])),
    release: (names) => ask((asked) => asked.call('release', [names])),
    async close() {
      const closing = thread
      thread = null
      await closing?.end({ clock, closeMs: CLOSE_MS_MAX }, closing.call('close', []))
    },
  }
}

/** Separates the place of a monitor, which people know, from the unique text of its process. */
const MARK = '#'

/** Names a process by its place and a unique text. */
export function holderNameOf(place: string, unique: string): string {
  return `${place}${MARK}${unique}`
}

/** Place of the monitor with this holder name. */
export function placeOf(holder: string): string {
  const end = holder.lastIndexOf(MARK)
  return end < 0 ? holder : holder.slice(0, end)
}
