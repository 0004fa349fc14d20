import type { Snapshot } from '@svc/core'
import { type Clock, readinessOf } from '@svc/core/service'
import type { StatusContext } from '@svc/views'
import {
  type Asked,
  isCompressedTo,
  type Payloads,
  type Reading,
  type ReadyAnswer,
  type Wanted,
} from '../answers/ready-answer.ts'
import type { GaugeSamples } from '../metrics/metric-families.ts'
import { createAskedPayloads } from './asked-payloads.ts'
import { isReady, type PayloadVersions } from './payload-versions.ts'

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
  /** Those that were wanted. */
  readonly payloads: Partial<Payloads>
  /** Null where no status was made. */
  readonly versions: PayloadVersions | null
  /** Null where health was not made. */
  readonly healthVersions: PayloadVersions | null
  readonly context: StatusContext
  readonly ifStalled: IfStalled
}

export interface PublisherDeps {
  readonly encode: (snapshot: Snapshot, wanted: Wanted) => Published
  /** The same, with the wanted payloads that it lacks. */
  readonly encodeMore: (published: Published, wanted: Wanted) => Published
  /** The same with what is known by now besides the snapshot; the same object where that is nothing new. */
  readonly amend: (published: Published) => Published
  /** How far apart snapshots may be while somebody reads them. */
  readonly readPaceMs: number
  /** Called for a snapshot, and again when what is said besides is another or a payload is added. */
  readonly onPublish: (published: Published) => void
  readonly clock: Clock
}

/** Decides what readers see: words and encodes what they read of a snapshot at once, and everything once a minute, read or not. */
export interface Publisher {
  /** Publishes a new snapshot, or leaves it for the next time. */
  offer(snapshot: Snapshot): void
  /** Publishes what is known by now besides the snapshot; while nobody reads, it waits for the next. */
  amend(): void
  /** Somebody reads. */
  noteReader(asked: Asked): void
  /** Makes what is read of the snapshot that is published, unless it is made. */
  supply(reading: Reading): void
  isRead(): boolean
  /** What was published is too old for a reader, or more is known than it says. */
  isOutdated(): boolean
  /** Longest time between two publications, by what is read. */
  intervalMs(): number
  /** When the next is due, in monotonic milliseconds; -Infinity before the first. */
  dueAtMs(): number
}

/** While somebody reads a payload, ages and times to a reset on it are at most this old ... */
const READ_INTERVAL_MS = 15_000
/** ... and this old while nobody does, or gauges alone are read: the first who reads again is answered from a new evaluation. */
const UNREAD_INTERVAL_MS = 60_000
/** What nobody reads is made so often, to be shown when the pipeline is lost ... */
const SPARE_INTERVAL_MS = 60_000
/** ... and not compressed. */
const SPARE: Wanted = { status: 'none', recommendations: 'none', health: 'none', stats: 'none' }
/** A timer may fire a little early. */
const EARLY_MS = 100

export function createPublisher(deps: PublisherDeps): Publisher {
  const { clock } = deps
  let published: Published | null = null
  let publishedAtMs = Number.NEGATIVE_INFINITY
  /** More is known than was published. */
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
  const isAwaited = () => published === null || readinessOf(published.snapshot) !== 'ready'

  // Until there is an account list nothing is left out, so that everything shows it as soon as it comes.
  const isSpareDue = () =>
    published === null || !published.snapshot.available || isPast(spareDueAtMs())

  const publish = (next: Published) => {
    published = next
    deps.onPublish(next)
  }

  return {
    offer(snapshot) {
      if (!isRead() && !isDue() && !isAwaited()) {
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
    isOutdated: () => isBehind || isDue(),
    intervalMs,
    dueAtMs,
  }
}

function isMade({ payload, compression }: Reading, published: Published): boolean {
  const { payloads, versions, healthVersions } = published
  if (payload === 'changes') return versions !== null && isReady(versions, compression)
  if (payload === 'healthChanges')
    return healthVersions !== null && isReady(healthVersions, compression)
  const made = payloads[payload]
  return made !== undefined && isCompressedTo(made, compression)
}
