/** Tells when somebody else takes records out of the queue: accounts work, and the queue stays empty. A guess, made with patience. */
export interface QueueRivalWatch {
  /** A pop brought this many records. */
  popped(recordCount: number): void
  /** A list of accounts shows this many requests since the proxy started. */
  listed(requestCount: number): void
  isSuspected(): boolean
}

const REQUESTS_MIN = 5
const LISTS_MIN = 4

export function createQueueRivalWatch(): QueueRivalWatch {
  let baseline: number | null = null
  let suspiciousLists = 0
  return {
    popped(recordCount) {
      if (recordCount === 0) return
      baseline = null
      suspiciousLists = 0
    },
    listed(requestCount) {
      if (baseline === null || requestCount < baseline) baseline = requestCount
      suspiciousLists = requestCount - baseline >= REQUESTS_MIN ? suspiciousLists + 1 : 0
    },
    isSuspected: () => suspiciousLists >= LISTS_MIN,
  }
}
