import type { EpochMs } from '@svc/core'
import type { Clock, Log } from '@svc/core/service'
import type { UsageReader, UsageReading } from '@svc/core/usage'

/** Interval between readings, because time alone changes which usage is recent. */
const READ_EVERY_MS = 15_000
/** Shortest interval between readings, so that usage in quick succession is read together. */
const READ_AGAIN_MS_MIN = 5_000
/** Delay of the first reading, which may take a while; the start does not wait for it. */
const FIRST_READ_MS = 100

type SummarySource = Pick<UsageReader, 'summary'>

export interface UsageListener {
  /** Called once there is a first reading. */
  readonly onFirst: () => void
  /** Called when `latest` has changed; on return, every answer that is being read includes the change. */
  readonly onRead: () => void
}

export interface UsageWatchDeps {
  /** Null without a history. */
  readonly reader: SummarySource | null
  readonly clock: Clock
  readonly log: Log
}

/** Keeps a summary of the usage history ready, so that no evaluation waits for one. */
export function createUsageWatch({ reader, clock, log }: UsageWatchDeps) {
  let reading: UsageReading = { kind: reader === null ? 'off' : 'pending' }
  let readAt: EpochMs | null = null
  let endedAtMs = Number.NEGATIVE_INFINITY
  let failures = 0
  let underWay: Promise<void> | null = null
  let isOutdated = false
  let cancelNext = () => {}
  let listener: UsageListener = { onFirst: () => undefined, onRead: () => undefined }
  let stopped = false

  const read = async (from: SummarySource) => {
    isOutdated = false
    const now = clock.now()
    try {
      const summary = await from.summary(now)
      const isFirst = reading.kind !== 'read'
      failures = 0
      readAt = now
      reading = { kind: 'read', summary }
      if (!stopped) listener.onRead()
      if (isFirst && !stopped) listener.onFirst()
    } catch (error) {
      failures += 1
      // A store that is still being created cannot be read yet.
      if (failures > 1 || reading.kind === 'read')
        log.warn('usage history not readable', {
          error: error instanceof Error ? error.name : 'unknown',
        })
    }
    underWay = null
    endedAtMs = clock.monotonicMs()
    readIn(isOutdated ? READ_AGAIN_MS_MIN : READ_EVERY_MS)
  }

  const readIn = (delayMs: number) => {
    cancelNext()
    if (reader === null || stopped) return
    if (delayMs > 0) cancelNext = clock.schedule(delayMs, () => readIn(0))
    else underWay ??= read(reader)
  }

  return {
    start(listening: UsageListener) {
      listener = listening
      readIn(FIRST_READ_MS)
    },
    /** Reads again at once, or five seconds after the last reading, because the history has changed. */
    readNow() {
      isOutdated = true
      if (underWay === null)
        readIn(Math.max(0, endedAtMs + READ_AGAIN_MS_MIN - clock.monotonicMs()))
    },
    /** The latest reading. Never waits. */
    latest: (): UsageReading => reading,
    /** Instant of `latest` and of everything made from it; null if the reading is old or does not include the whole history yet. */
    async asOf(): Promise<EpochMs | null> {
      // Usage stored during a reading appears in the next one.
      for (let round = 0; round < 2 && (isOutdated || underWay !== null); round += 1) {
        if (underWay === null) readIn(0)
        await underWay
      }
      return readAt !== null && clock.now() - readAt < 2 * READ_EVERY_MS ? readAt : null
    },
    stop() {
      stopped = true
      cancelNext()
    },
  }
}
