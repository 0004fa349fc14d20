import { type CapacityPoint, type Clock, memoryOf, nothingRecorded, poolStep, type RecentChange, type Snapshot } from '@svc/core'
import type { PoolRecord } from '@svc/history'
import type { OpenedStore } from '../workers/store-writer-calls.ts'

/** A snapshot recorded a little early is recorded now rather than an evaluation later. */
const EARLY_MS = 5_000

/** Keeps the course of the pool: what it can do, what it used and what changed. */
export interface PoolRecorder {
  /** Goes on from what was kept before. */
  seed(opened: Pick<OpenedStore, 'readings' | 'changes'>): void
  onSnapshot(snapshot: Snapshot): void
}

export interface PoolRecorderDeps {
  /** Rejects when it is not stored; it is tried again with the next one. */
  readonly record: (record: PoolRecord) => Promise<void>
  readonly onPoints: (points: readonly CapacityPoint[]) => void
  readonly everySeconds: number
  readonly clock: Clock
}

export function createPoolRecorder({ record, onPoints, everySeconds, clock }: PoolRecorderDeps): PoolRecorder {
  let memory = nothingRecorded
  let recordedAtMs = Number.NEGATIVE_INFINITY
  const stored = new WeakSet<RecentChange>()
  let recording = false

  return {
    seed({ readings, changes }) {
      memory = memoryOf(readings)
      for (const change of changes) stored.add(change)
    },
    onSnapshot(snapshot) {
      const nowMs = clock.monotonicMs()
      if (recording || !snapshot.available || nowMs - recordedAtMs < everySeconds * 1000 - EARLY_MS) return
      const step = poolStep(memory, snapshot)
      // Oldest first.
      const changes = snapshot.recentChanges.filter((change) => !stored.has(change)).toReversed()
      recording = true
      record({ points: step.points, readings: step.readings, changes })
        .then(
          () => {
            memory = step.memory
            for (const change of changes) stored.add(change)
            recordedAtMs = nowMs
            onPoints(step.points)
          },
          // The store says itself that it fails.
          () => undefined,
        )
        .finally(() => {
          recording = false
        })
    },
  }
}
