import type { Snapshot } from '@svc/core'
import { type Clock, readinessOf } from '@svc/core/service'
import type { StatusContext } from '@svc/views'
import type { Payloads, ReadyAnswer } from '../answers/ready-answer.ts'
import type { GaugeSamples } from '../metrics/metric-families.ts'
import { READER_MS } from './reader.ts'

/** The differences between a state and the same once nothing is evaluated any more. */
export interface IfStalled {
  readonly health: ReadyAnswer
  /** A piece of the status, and what takes its place. */
  readonly inStatus: { readonly before: string; readonly after: string }
  readonly gauges: readonly GaugeSamples[]
}

/** A snapshot, the bytes that say it, and what they say besides. */
export interface Published {
  readonly snapshot: Snapshot
  readonly payloads: Payloads
  readonly context: StatusContext
  readonly ifStalled: IfStalled
}

export interface PublisherDeps {
  readonly encode: (snapshot: Snapshot) => Published
  /** The same with what is known by now besides the snapshot; the same object where that is nothing new. */
  readonly amend: (published: Published) => Published
  /** How far apart snapshots may be while somebody reads them. */
  readonly readPaceMs: number
  /** Called for a snapshot, and again when what is said besides is another. */
  readonly onPublish: (published: Published) => void
  readonly clock: Clock
}

/** Decides what readers see: words and encodes a snapshot at once while somebody reads, and once a minute while nobody does. */
export interface Publisher {
  /** Publishes a new snapshot, or leaves it for the next time. */
  offer(snapshot: Snapshot): void
  /** Publishes what is known by now besides the snapshot; while nobody reads, it waits for the next. */
  amend(): void
  /** Somebody reads. */
  noteReader(): void
  isRead(): boolean
  /** What was published is too old for a reader, or more is known than it says. */
  isOutdated(): boolean
  /** Longest time between two publications, by whether somebody reads. */
  intervalMs(): number
  /** When the next is due, in monotonic milliseconds; -Infinity before the first. */
  dueAtMs(): number
}

/** While somebody reads, ages and times to a reset on any payload are at most this old ... */
const READ_INTERVAL_MS = 15_000
/** ... and this old while nobody does: the first who reads again is answered from a new evaluation. */
const UNREAD_INTERVAL_MS = 60_000
/** A timer may fire a little early. */
const EARLY_MS = 100

export function createPublisher(deps: PublisherDeps): Publisher {
  const { clock } = deps
  let published: Published | null = null
  let publishedAtMs = Number.NEGATIVE_INFINITY
  /** More is known than was published. */
  let isBehind = false
  let lastReadAtMs = Number.NEGATIVE_INFINITY

  const isRead = () => clock.monotonicMs() - lastReadAtMs < READER_MS
  const intervalMs = () =>
    isRead() ? Math.min(READ_INTERVAL_MS, deps.readPaceMs) : UNREAD_INTERVAL_MS
  const dueAtMs = () => publishedAtMs + intervalMs()
  const isDue = () => clock.monotonicMs() >= dueAtMs() - EARLY_MS
  // A script that waits for `/readyz` reads nothing else.
  const isAwaited = () => published === null || readinessOf(published.snapshot) !== 'ready'

  const publish = (next: Published) => {
    published = next
    isBehind = false
    deps.onPublish(next)
  }

  return {
    offer(snapshot) {
      if (!isRead() && !isDue() && !isAwaited()) {
        isBehind = true
        return
      }
      publish(deps.encode(snapshot))
      publishedAtMs = clock.monotonicMs()
    },
    amend() {
      if (published === null) return
      if (!isRead()) {
        isBehind = true
        return
      }
      const amended = deps.amend(published)
      if (amended !== published) publish(amended)
    },
    noteReader() {
      lastReadAtMs = clock.monotonicMs()
    },
    isRead,
    isOutdated: () => isBehind || isDue(),
    intervalMs,
    dueAtMs,
  }
}
