import type { Clock, Log, UsageReader, UsageReading } from '@svc/core'

/** Recent usage is at most this much older than what the history holds. */
const READ_EVERY_MS = 15_000
/** The first reading may take a while; whoever asked for the service to start is answered before. */
const FIRST_READ_MS = 100

export type SummarySource = Pick<UsageReader, 'summary'>

export interface UsageWatch {
  /** Begins to read. `onFirst` is called once there is something to show. */
  start(onFirst: () => void): void
  /** Reads again at once, because the history has just become readable. */
  readNow(): void
  /** What was read last. Never waits. */
  latest(): UsageReading
  stop(): void
}

/** Keeps a summary of a usage history at hand, so that no evaluation waits for one. `reader` is null where there is none. */
export function createUsageWatch({
  reader,
  clock,
  log,
}: {
  readonly reader: SummarySource | null
  readonly clock: Clock
  readonly log: Log
}): UsageWatch {
  let reading: UsageReading = { kind: reader === null ? 'off' : 'pending' }
  let cancelNext = () => {}
  let stopped = false

  let failures = 0
  let onFirst = () => {}

  const read = async (from: SummarySource) => {
    cancelNext()
    try {
      const summary = await from.summary(clock.now())
      const isFirst = reading.kind !== 'read'
      failures = 0
      reading = { kind: 'read', summary }
      if (isFirst && !stopped) onFirst()
    } catch (error) {
      failures += 1
      // A store that is only just being made cannot be read yet.
      if (failures > 1 || reading.kind === 'read')
        log.warn('usage history not readable', { error: error instanceof Error ? error.name : 'unknown' })
    }
    if (stopped) return
    cancelNext()
    cancelNext = clock.schedule(READ_EVERY_MS, () => void read(from))
  }

  return {
    start(changed) {
      onFirst = changed
      if (reader !== null) cancelNext = clock.schedule(FIRST_READ_MS, () => void read(reader))
    },
    readNow() {
      if (reader !== null && !stopped) void read(reader)
    },
    latest: () => reading,
    stop() {
      stopped = true
      cancelNext()
    },
  }
}
