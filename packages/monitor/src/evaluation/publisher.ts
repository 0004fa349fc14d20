import type { Snapshot } from '@svc/core'
import { readinessOf } from '@svc/core/health'
import { type Clock, TIMER_EARLY_MS } from '@svc/core/service'
import type { StatusContext } from '@svc/views'
import {
  type Asked,
  type Compression,
  isCompressedTo,
  joinedCompression,
  type PayloadName,
  type Payloads,
  payloadNames,
  type Reading,
  type ReadyAnswer,
  type Wanted,
} from '../answers/ready-answer.ts'
import type { GaugeSamples } from '../metrics/snapshot-gauge.ts'

/** Milliseconds for which a client counts as a reader after a request. */
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
    /** Whether somebody follows the events and so must hear of an account's return at once. */
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

/** Changes to make in a publication once evaluation has stopped. */
export interface IfStalled {
  /** Health with the stall in it; the other payloads take over its answers. */
  readonly health: ReadyAnswer
  readonly gauges: readonly GaugeSamples[]
}

/** A snapshot with its encoded payloads and the rest of their context. */
export interface Published {
  readonly snapshot: Snapshot
  /** The wanted payloads. */
  readonly payloads: Partial<Payloads>
  readonly context: StatusContext
  readonly ifStalled: IfStalled
}

export interface PublisherDeps {
  readonly encode: (snapshot: Snapshot, wanted: Wanted) => Published
  /** The publication plus the wanted payloads it lacks. */
  readonly encodeMore: (published: Published, wanted: Wanted) => Published
  /** The publication with the current context; the same object if nothing in the context is new. */
  readonly refreshContext: (published: Published) => Published
  /** Longest time between snapshots while they are read. */
  readonly readPaceMs: number
  /** Called for a snapshot, and again when its context changes or a payload is added. */
  readonly onPublish: (published: Published) => void
  readonly clock: Clock
}

/** Maximum age of the relative times in a payload while it is read, in milliseconds. */
const READ_INTERVAL_MS = 15_000
/** Maximum age without readers, or with readers of gauges only: the first new reader is answered from a new evaluation. */
const UNREAD_INTERVAL_MS = 60_000
/** Interval at which unread payloads are made; they are shown if the pipeline is lost. */
const IDLE_INTERVAL_MS = 60_000
/** Payloads that nobody reads are not compressed. */
const IDLE: Wanted = { status: 'none', recommendations: 'none', health: 'none', stats: 'none' }

/** Publishes for readers: formats and encodes payloads that are being read at once, and all payloads once a minute. */
export function createPublisher(deps: PublisherDeps) {
  const { clock } = deps
  let published: Published | null = null
  let publishedAtMs = Number.NEGATIVE_INFINITY
  /** True if there is unpublished news. */
  let isBehind = false
  let idleEncodedAtMs = Number.NEGATIVE_INFINITY
  const demand = createReadDemand()

  const isRead = () => demand.isAnythingRead(clock.monotonicMs())
  const intervalMs = () =>
    demand.isAgeRead(clock.monotonicMs())
      ? Math.min(READ_INTERVAL_MS, deps.readPaceMs)
      : UNREAD_INTERVAL_MS
  const idleDueAtMs = () => idleEncodedAtMs + IDLE_INTERVAL_MS
  const dueAtMs = () => Math.min(publishedAtMs + intervalMs(), idleDueAtMs())
  const isPast = (atMs: number) => clock.monotonicMs() >= atMs - TIMER_EARLY_MS
  const isDue = () => isPast(dueAtMs())
  // A script that waits for `/readyz` reads nothing else.
  const isAwaited = (next: Snapshot) =>
    published === null ||
    [published.snapshot, next].some((snapshot) => readinessOf(snapshot) !== 'ready')

  // Without an account list every payload is made, so that each shows the list as soon as it arrives.
  const isIdleDue = () =>
    published === null || !published.snapshot.available || isPast(idleDueAtMs())

  const show = (next: Published) => {
    published = next
    deps.onPublish(next)
  }

  return {
    /** Publishes a new snapshot, or leaves it for the next publication. */
    publish(snapshot: Snapshot) {
      if (!isRead() && !isDue() && !isAwaited(snapshot)) {
        isBehind = true
        return
      }
      const wanted = demand.wanted(clock.monotonicMs())
      const isIdle = isIdleDue()
      show(deps.encode(snapshot, isIdle ? { ...IDLE, ...wanted } : wanted))
      isBehind = false
      publishedAtMs = clock.monotonicMs()
      if (isIdle) idleEncodedAtMs = publishedAtMs
    },
    /** Publishes news that is not part of the snapshot; without readers this waits for the next snapshot. */
    republish() {
      if (published === null) return
      if (!isRead()) {
        isBehind = true
        return
      }
      const refreshed = deps.refreshContext(published)
      if (refreshed === published) return
      show(refreshed)
      isBehind = false
    },
    noteReader: (what: Asked) => demand.note(what, clock.monotonicMs()),
    /** Makes this payload of the published snapshot, unless it exists. */
    encodeMissing(reading: Reading) {
      if (published === null || isMade(reading, published)) return
      show(deps.encodeMore(published, demand.wanted(clock.monotonicMs())))
    },
    isRead,
    isFollowed: () => demand.isFollowed(clock.monotonicMs()),
    /** Whether the publication is too old for a reader, or lacks news. */
    isOutdated: () => isBehind || isDue(),
    /** Longest time between two publications for the current readers. */
    intervalMs,
    /** Due time of the next publication, in monotonic milliseconds; -Infinity before the first. */
    dueAtMs,
  }
}

function isMade({ payload, compression }: Reading, published: Published): boolean {
  const made = published.payloads[payload]
  return made !== undefined && isCompressedTo(made, compression)
}
