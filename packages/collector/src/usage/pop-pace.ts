import type { Clock } from '@svc/core/service'

/** How many records are asked for at a time, and how soon again. */
export interface PopPace {
  /** How many records each of the next pops asks for, whose answers are stored together. */
  counts(): readonly number[]
  /** Pops of `asked` records brought so many elements, so many of which were new. */
  note(pops: {
    readonly asked: number
    readonly elementCount: number
    readonly storedCount: number
  }): void
  /** The last ones were full of new records, so there are more. */
  moreWait(): boolean
  /** The last one failed: what is lost with the next is to be little. */
  reset(): void
}

/** See docs/upstream.md#usage-queue. */
const RECORDS = 500
/** With one pop every 100 ms, twenty thousand records a second. */
const RECORDS_MAX = 2_000
/** Pops begin at least so far apart, however much waits. */
export const POP_MS_MIN = 100

/** Above this rate several pops share a transaction, which costs about the same for few records as for many. */
const SHARED_PER_SECOND_MIN = 1_000
const SHARED_COUNTS = [RECORDS_MAX, RECORDS_MAX]
/** Of two polls. */
const RATE_MS = 10_000

export function createPopPace(clock: Pick<Clock, 'monotonicMs'>): PopPace {
  let count = RECORDS
  let more = false
  let stored: readonly { readonly atMs: number; readonly count: number }[] = []
  const recent = () => stored.filter(({ atMs }) => clock.monotonicMs() - atMs < RATE_MS)
  const isFast = () => {
    const recordCount = recent().reduce((sum, { count: stored }) => sum + stored, 0)
    return recordCount > (SHARED_PER_SECOND_MIN * RATE_MS) / 1000
  }
  return {
    counts: () => (isFast() ? SHARED_COUNTS : [count]),
    note({ asked, elementCount, storedCount }) {
      stored = [...recent(), { atMs: clock.monotonicMs(), count: storedCount }]
      // A proxy that answers the same again and again has nothing more to give.
      more = elementCount >= asked && 2 * storedCount >= elementCount
      count = more ? Math.min(RECORDS_MAX, 2 * count) : RECORDS
    },
    moreWait: () => more,
    reset() {
      more = false
      count = RECORDS
      stored = []
    },
  }
}
