import {
  type Compression,
  compressions,
  type PayloadName,
  payloadNames,
  type Reading,
  type Wanted,
} from '../answers/ready-answer.ts'
import { READER_MS } from './reader.ts'

/** What was read in the last minute. All times are monotonic milliseconds. */
export interface AskedPayloads {
  /** Null: something else than a payload. */
  note(reading: Reading | null, nowMs: number): void
  isAnythingRead(nowMs: number): boolean
  /** The payloads that were read, as far compressed as they were read. */
  wanted(nowMs: number): Wanted
}

export function createAskedPayloads(): AskedPayloads {
  let lastReadAtMs = Number.NEGATIVE_INFINITY
  const askedAtMs = new Map<`${PayloadName} ${Compression}`, number>()
  const isRecent = (atMs: number | undefined, nowMs: number) =>
    atMs !== undefined && nowMs - atMs < READER_MS
  return {
    note(reading, nowMs) {
      lastReadAtMs = nowMs
      if (reading !== null) askedAtMs.set(`${reading.payload} ${reading.compression}`, nowMs)
    },
    isAnythingRead: (nowMs) => isRecent(lastReadAtMs, nowMs),
    wanted(nowMs) {
      const isAsked = (payload: PayloadName, compression: Compression) =>
        isRecent(askedAtMs.get(`${payload} ${compression}`), nowMs)
      return Object.fromEntries(
        payloadNames.flatMap((payload) => {
          const furthest = compressions.findLast((compression) => isAsked(payload, compression))
          return furthest === undefined ? [] : [[payload, furthest]]
        }),
      )
    },
  }
}
