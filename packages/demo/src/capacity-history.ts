import { defaultPolicy, type EpochMs, epochMs, evaluateSnapshot, HOUR_MS } from '@svc/core'
import { type CapacityPoint, nothingRecorded, poolStep } from '@svc/core/pool'
import { demoServiceAt, exampleObservationAt } from './example-observation.ts'

const DAYS = 8
/** Step of the last day, which charts show, so it has more points than the week before. */
const FINE_MS = HOUR_MS / 4

/** The capacity of the sample pool over the last eight days, in the form of a stored history. */
export function demoCapacityPoints(now: EpochMs): readonly CapacityPoint[] {
  const points: CapacityPoint[] = []
  let memory = nothingRecorded
  for (
    let at: EpochMs = epochMs(now - DAYS * 24 * HOUR_MS);
    at < now;
    at = epochMs(at + (now - at > 24 * HOUR_MS ? HOUR_MS : FINE_MS))
  ) {
    const observation = { ...exampleObservationAt(at), ...demoServiceAt(at) }
    const pool = evaluateSnapshot(observation, defaultPolicy, at, {
      previous: null,
      recordedChanges: [],
    })
    const step = poolStep(memory, pool)
    memory = step.memory
    points.push(...step.points)
  }
  return points
}
