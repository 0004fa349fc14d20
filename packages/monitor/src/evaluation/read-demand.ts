import {
  type Asked,
  type Compression,
  joinedCompression,
  type PayloadName,
  payloadNames,
  type Wanted,
} from '../answers/ready-answer.ts'

/** Milliseconds for which a reading counts its sender as a reader. */
export const READER_MS = 60_000

/** Compressions in which payloads are read: each reader asks for the smallest one it supports. */
const READ_AS: readonly Compression[] = ['none', 'gzip', 'br']

/** Payloads read in the last minute. All times are monotonic milliseconds. */
export function createReadDemand() {
  let lastReadAtMs = Number.NEGATIVE_INFINITY
  let ageReadAtMs = Number.NEGATIVE_INFINITY
  let followedAtMs = Number.NEGATIVE_INFINITY
  const askedAtMs = new Map<`${PayloadName} ${Compression}`, number>()
  return {
    note(asked: Asked, nowMs: number) {
      lastReadAtMs = nowMs
      if (asked === 'gauges') return
      ageReadAtMs = nowMs
      if (asked === 'events') followedAtMs = nowMs
      else if (asked !== null) askedAtMs.set(`${asked.payload} ${asked.compression}`, nowMs)
    },
    isAnythingRead: (nowMs: number) => nowMs - lastReadAtMs < READER_MS,
    /** Whether anything but gauges was read. Gauges contain no ages and no times to a reset, so they stay correct longer. */
    isAgeRead: (nowMs: number) => nowMs - ageReadAtMs < READER_MS,
    /** Whether somebody follows the events, and is told of a return at once. */
    isFollowed: (nowMs: number) => nowMs - followedAtMs < READER_MS,
    /** Payloads that were read, with the compressions in use. */
    wanted(nowMs: number): Wanted {
      const isAsked = (payload: PayloadName, compression: Compression) =>
        nowMs - (askedAtMs.get(`${payload} ${compression}`) ?? Number.NEGATIVE_INFINITY) < READER_MS
      return Object.fromEntries(
        payloadNames.flatMap((payload) => {
          const read = READ_AS.filter((compression) => isAsked(payload, compression))
          return read.length === 0 ? [] : [[payload, joinedCompression(read)]]
        }),
      )
    },
  }
}
