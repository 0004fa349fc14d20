import {
  type EpochMs,
  type EvaluationPolicy,
  evaluateSnapshot,
  type Observation,
  type Past,
  type Snapshot,
} from '@svc/core'
import { hasResetBetween, rememberedObservation, type TrendsByProvider } from '@svc/core/pool'
import type { RecordedPast } from '../store/history.ts'

export interface EvaluatorDeps {
  /** The state known at `now`. Never waits. */
  readonly observe: (now: EpochMs) => Observation
  readonly policy: EvaluationPolicy
  /** History recorded before this process started; returned once. Null while it may still arrive; until then no snapshots are compared. */
  readonly takeRecorded: () => RecordedPast | null
  /** Latest forecast of how long each provider's pool lasts. */
  readonly trends: () => TrendsByProvider
}

export interface Evaluated {
  readonly snapshot: Snapshot
  /** Null for the first snapshot. */
  readonly previous: Snapshot | null
}

const NO_PAST: Past = { previous: null, recordedChanges: [] }

/** Makes snapshots, each compared with the previous one. */
export function createEvaluator({ observe, policy, takeRecorded, trends }: EvaluatorDeps) {
  let current: Snapshot | null = null

  const pastOf = (observation: Observation, now: EpochMs): Past => {
    const recorded = takeRecorded()
    if (recorded === null) return NO_PAST
    const { changes, remembered } = recorded
    const own = { previous: current, recordedChanges: changes }
    if (remembered === null) return own
    const left = rememberedObservation(observation, remembered)
    return {
      ...own,
      previous: evaluateSnapshot(left, policy, now, { ...NO_PAST, standing: remembered }),
    }
  }

  return {
    evaluate(now: EpochMs): Evaluated {
      const observation = observe(now)
      const previous = current
      const snapshot = evaluateSnapshot(observation, policy, now, {
        ...pastOf(observation, now),
        trends: trends(),
      })
      current = snapshot
      return { snapshot, previous }
    },
    /** Whether an account has regained quota since the last evaluation; true before the first. */
    isResetSince: (now: EpochMs) =>
      current === null || hasResetBetween(current.resetColumns, current.evaluatedAt, now),
  }
}
