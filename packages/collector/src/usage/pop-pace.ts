import { QUEUE_PERIOD_SECONDS } from '@svc/core/health'
import type { Clock } from '@svc/core/service'

/** See docs/upstream.md#usage-queue. */
const RECORDS = 500
/** Largest pop: 20,000 records a second with one pop every 100 ms. */
const RECORDS_MAX = 2_000
/** Least time between the starts of two pops, however many records wait. */
export const POP_MS_MIN = 100

/** Records per second above which several pops share a transaction, whose cost hardly depends on the number of records. */
const SHARED_PER_SECOND_MIN = 1_000
const SHARED_COUNTS = [RECORDS_MAX, RECORDS_MAX]
/** Period of the measured rate: two polls. */
const RATE_MS = 2 * QUEUE_PERIOD_SECONDS * 1000

export type PopPace = ReturnType<typeof createPopPace>

/** Creates a measure of the size and pace of pops. */
export function createPopPace(clock: Pick<Clock, 'monotonicMs'>) {
  let count = RECORDS
  let more = false
  let stored: readonly { readonly atMs: number; readonly count: number }[] = []
  const recent = () => stored.filter(({ atMs }) => clock.monotonicMs() - atMs < RATE_MS)
  const isFast = () => {
    const recordCount = recent().reduce((sum, { count: stored }) => sum + stored, 0)
    return recordCount > (SHARED_PER_SECOND_MIN * RATE_MS) / 1000
  }
  return {
    /** Sizes of the next pops, whose answers are stored together. */
    counts: () => (isFast() ? SHARED_COUNTS : [count]),
    /** Notes the result of pops of `asked` records: the elements received and the records newly stored. */
    note({
      asked,
      elementCount,
      storedCount,
    }: {
      readonly asked: number
      readonly elementCount: number
      readonly storedCount: number
    }) {
      stored = [...recent(), { atMs: clock.monotonicMs(), count: storedCount }]
      // A proxy that repeats its answer has no more new records.
      more = elementCount >= asked && 2 * storedCount >= elementCount
      count = more ? Math.min(RECORDS_MAX, 2 * count) : RECORDS
    },
    /** Whether the last pops were full of new records, which means that more are waiting. */
    moreWait: () => more,
    /** Notes a failed pop. The next pop is small, so that little is lost if it fails too. */
    reset() {
      more = false
      count = RECORDS
      stored = []
    },
  }
}
