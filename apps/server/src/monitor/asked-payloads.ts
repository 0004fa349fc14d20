import {
  type Compression,
  compressions,
  type PayloadName,
  payloadNames,
  type Reading,
  type Wanted,
} from '../answers/ready-answer.ts'
import { READER_MS } from './reader.ts'

/** What is read, so that nothing else is made. All times are monotonic milliseconds. */
export interface AskedPayloads {
  note(reading: Reading, nowMs: number): void
  /** Everything that was read in the last minute, as far compressed as it was read. */
  wanted(nowMs: number): Wanted
}

export function createAskedPayloads(): AskedPayloads {
  const askedAtMs = new Map<`${PayloadName} ${Compression}`, number>()
  return {
    note({ payload, compression }, nowMs) {
      askedAtMs.set(`${payload} ${compression}`, nowMs)
    },
    wanted(nowMs) {
      const isAsked = (payload: PayloadName, compression: Compression) =>
        nowMs - (askedAtMs.get(`${payload} ${compression}`) ?? Number.NEGATIVE_INFINITY) < READER_MS
      return Object.fromEntries(
        payloadNames.flatMap((payload) => {
          const furthest = compressions.findLast((compression) => isAsked(payload, compression))
          return furthest === undefined ? [] : [[payload, furthest]]
        }),
      )
    },
  }
}
