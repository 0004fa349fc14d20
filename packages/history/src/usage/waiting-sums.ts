import { type BucketSums, createBucketSums } from './bucket-sums.ts'

type Summed = Parameters<BucketSums['addRates']>
type Request = { readonly detail: Summed[0]; readonly members: Summed[1] }

/** Time whose requests are added to the sums by rate together. */
export const QUARTER_MS = 15 * 60_000
/** Maximum number of sums that wait; further requests are read again. About 20 MB. */
const SUMS_MAX = 100_000

/** Sums by rate of the requests stored by this process that are not in the store's sums yet, so that they need not be read again. */
export type WaitingSums = ReturnType<typeof createWaitingSums>

export function createWaitingSums() {
  let mark: number | null = null
  const quarters = new Map<number, { requests: number; readonly sums: BucketSums }>()
  return {
    /** Adds the requests just stored from `ratesUntil` on, where the sums of the store end. */
    add(stored: readonly Request[], ratesUntil: number | null): void {
      if (ratesUntil !== mark) quarters.clear()
      mark = ratesUntil
      if (mark === null) return
      for (const { detail, members } of stored) {
        if (detail.at < mark) continue
        const number = Math.floor(detail.at / QUARTER_MS)
        const quarter = quarters.get(number) ?? { requests: 0, sums: createBucketSums() }
        if (quarter.requests === 0) quarters.set(number, quarter)
        quarter.requests += 1
        quarter.sums.addRates(detail, members)
      }
      let size = 0
      for (const { sums } of quarters.values()) size += sums.rateCount()
      if (size > SUMS_MAX) quarters.clear()
    },
    /** Takes the sums of the quarters that begin before `until`, with the number of their requests, and begins at `until` from now on. */
    take(from: number, until: number) {
      let requests = 0
      const taken: BucketSums[] = []
      for (const [number, quarter] of quarters)
        if (number * QUARTER_MS < until) {
          quarters.delete(number)
          requests += quarter.requests
          taken.push(quarter.sums)
        }
      const isOurs = mark === from
      mark = until
      return isOurs ? { requests, sums: taken } : null
    },
  }
}
