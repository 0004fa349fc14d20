/** How many records are asked for at a time, and how soon again. */
export interface PopPace {
  count(): number
  /** A pop of `asked` records brought so many elements, so many of which were new. */
  note(pop: {
    readonly asked: number
    readonly elementCount: number
    readonly storedCount: number
  }): void
  /** The last one was full of new records, so there are more. */
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

export function createPopPace(): PopPace {
  let count = RECORDS
  let more = false
  return {
    count: () => count,
    note({ asked, elementCount, storedCount }) {
      // A proxy that answers the same again and again has nothing more to give.
      more = elementCount >= asked && 2 * storedCount >= elementCount
      count = more ? Math.min(RECORDS_MAX, 2 * count) : RECORDS
    },
    moreWait: () => more,
    reset() {
      more = false
      count = RECORDS
    },
  }
}
