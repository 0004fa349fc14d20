import type { Snapshot } from '@svc/core'
import { readinessOf } from '@svc/core/health'
import type { Clock } from '@svc/core/service'
import type { StatusContext } from '@svc/views'
import {
  type Asked,
  isCompressedTo,
  type Payloads,
  type Reading,
  type ReadyAnswer,
  type Wanted,
} from '../answers/ready-answer.ts'
import type { GaugeSamples } from '../metrics/snapshot-gauge.ts'
import { createAskedPayloads } from './asked-payloads.ts'

/** Changes to make in a publication once evaluation has stopped. */
export interface IfStalled {
  readonly health: ReadyAnswer
  /** A piece of the status, and its replacement. */
  readonly inStatus: { readonly before: string; readonly after: string }
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
  readonly amend: (published: Published) => Published
  /** Longest time between snapshots while they are read. */
  readonly readPaceMs: number
  /** Called for a snapshot, and again when its context changes or a payload is added. */
  readonly onPublish: (published: Published) => void
  readonly clock: Clock
}

/** Decides what readers see: words and encodes payloads that are being read at once, and all payloads once a minute. */
export interface Publisher {
  /** Publishes a new snapshot, or leaves it for the next publication. */
  offer(snapshot: Snapshot): void
  /** Publishes news that is not part of the snapshot; without readers this waits for the next snapshot. */
  amend(): void
  /** Notes a reader. */
  noteReader(asked: Asked): void
  /** Makes this payload of the published snapshot, unless it exists. */
  supply(reading: Reading): void
  isRead(): boolean
  /** Whether somebody follows the events. */
  isFollowed(): boolean
  /** Whether the publication is too old for a reader, or lacks news. */
  isOutdated(): boolean
  /** Longest time between two publications for the current readers. */
  intervalMs(): number
  /** Due time of the next publication, in monotonic milliseconds; -Infinity before the first. */
  dueAtMs(): number
}

/** Largest age of a payload's ages and times to a reset while it is read. */
const READ_INTERVAL_MS = 15_000
/** Largest age without readers, or with readers of gauges only: the first new reader is answered from a new evaluation. */
const UNREAD_INTERVAL_MS = 60_000
/** Interval of making unread payloads, which are shown if the pipeline is lost. */
const SPARE_INTERVAL_MS = 60_000
/** Spare payloads are not compressed. */
const SPARE: Wanted = { status: 'none', recommendations: 'none', health: 'none', stats: 'none' }
/** A timer may fire a little early. */
const EARLY_MS = 100

export function createPublisher(deps: PublisherDeps): Publisher {
  const { clock } = deps
  let published: Published | null = null
  let publishedAtMs = Number.NEGATIVE_INFINITY
  /** True if there is unpublished news. */
  let isBehind = false
  let sparedAtMs = Number.NEGATIVE_INFINITY
  const asked = createAskedPayloads()

  const isRead = () => asked.isAnythingRead(clock.monotonicMs())
  const intervalMs = () =>
    asked.isAgeRead(clock.monotonicMs())
      ? Math.min(READ_INTERVAL_MS, deps.readPaceMs)
      : UNREAD_INTERVAL_MS
  const spareDueAtMs = () => sparedAtMs + SPARE_INTERVAL_MS
  const dueAtMs = () => Math.min(publishedAtMs + intervalMs(), spareDueAtMs())
  const isPast = (atMs: number) => clock.monotonicMs() >= atMs - EARLY_MS
  const isDue = () => isPast(dueAtMs())
  // A script that waits for `/readyz` reads nothing else.
  const isAwaited = (next: Snapshot) =>
    published === null ||
    [published.snapshot, next].some((snapshot) => readinessOf(snapshot) !== 'ready')

  // Without an account list every payload is made, so that each shows the list as soon as it arrives.
  const isSpareDue = () =>
    published === null || !published.snapshot.available || isPast(spareDueAtMs())

  const publish = (next: Published) => {
    published = next
    deps.onPublish(next)
  }

  return {
    offer(snapshot) {
      if (!isRead() && !isDue() && !isAwaited(snapshot)) {
        isBehind = true
        return
      }
      const wanted = asked.wanted(clock.monotonicMs())
      const isSpared = isSpareDue()
      publish(deps.encode(snapshot, isSpared ? { ...SPARE, ...wanted } : wanted))
      isBehind = false
      publishedAtMs = clock.monotonicMs()
      if (isSpared) sparedAtMs = publishedAtMs
    },
    amend() {
      if (published === null) return
      if (!isRead()) {
        isBehind = true
        return
      }
      const amended = deps.amend(published)
      if (amended === published) return
      publish(amended)
      isBehind = false
    },
    noteReader: (what) => asked.note(what, clock.monotonicMs()),
    supply(reading) {
      if (published === null || isMade(reading, published)) return
      publish(deps.encodeMore(published, asked.wanted(clock.monotonicMs())))
    },
    isRead,
    isFollowed: () => asked.isFollowed(clock.monotonicMs()),
    isOutdated: () => isBehind || isDue(),
    intervalMs,
    dueAtMs,
  }
}

function isMade({ payload, compression }: Reading, published: Published): boolean {
  const made = published.payloads[payload]
  return made !== undefined && isCompressedTo(made, compression)
}
