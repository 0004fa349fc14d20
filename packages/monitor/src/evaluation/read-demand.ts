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

/** Payloads read in the last minute. All times are monotonic milliseconds. */
interface ReadDemand {
  note(asked: Asked, nowMs: number): void
  isAnythingRead(nowMs: number): boolean
  /** Whether anything but gauges was read. Gauges contain no ages and no times to a reset, so they stay correct longer. */
  isAgeRead(nowMs: number): boolean
  /** Whether somebody follows the events, and is told of a return at once. */
  isFollowed(nowMs: number): boolean
  /** Payloads that were read, with the compressions in use. */
  wanted(nowMs: number): Wanted
}

/** Compressions in which payloads are read: each reader asks for the smallest one it supports. */
const READ_AS: readonly Compression[] = ['none', 'gzip', 'br']

export function createReadDemand(): ReadDemand {
  let lastReadAtMs = Number.NEGATIVE_INFINITY
  let ageReadAtMs = Number.NEGATIVE_INFINITY
  let followedAtMs = Number.NEGATIVE_INFINITY
  const askedAtMs = new Map<`${PayloadName} ${Compression}`, number>()
  return {
    note(asked, nowMs) {
      lastReadAtMs = nowMs
      if (asked === 'gauges') return
      ageReadAtMs = nowMs
      if (asked === 'events') followedAtMs = nowMs
      else if (asked !== null) askedAtMs.set(`${asked.payload} ${asked.compression}`, nowMs)
    },
    isAnythingRead: (nowMs) => nowMs - lastReadAtMs < READER_MS,
    isAgeRead: (nowMs) => nowMs - ageReadAtMs < READER_MS,
    isFollowed: (nowMs) => nowMs - followedAtMs < READER_MS,
    wanted(nowMs) {
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
