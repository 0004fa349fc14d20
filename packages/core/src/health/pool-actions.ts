import { FIVE_HOUR, mainWindows, WEEK } from '../facts/window.ts'
import type { WindowCapacity } from '../pool/capacity.ts'
import type { EvaluatedPool } from '../pool/evaluated-pool.ts'
import type { ToneAction } from './health-actions.ts'

/** Limits below which an action is raised; null = not set. */
export interface HealthThresholds {
  readonly fiveHourMinUnits: number | null
  readonly weeklyMinUnits: number | null
  readonly routableMin: number | null
}

/** Actions for limits the operator has set. What is not yet read could cover a shortfall, so it raises none. */
export function thresholdActions(
  pool: EvaluatedPool,
  thresholds: HealthThresholds,
): readonly ToneAction[] {
  if (!pool.available) return []
  const actions: ToneAction[] = []
  const [fiveHour, week] = [pool.capacity[FIVE_HOUR], pool.capacity[WEEK]]
  const { fiveHourMinUnits, weeklyMinUnits, routableMin } = thresholds
  if (fiveHourMinUnits !== null && fiveHour.knownUnits + fiveHour.unknownUnits < fiveHourMinUnits) {
    actions.push({
      tone: 'bad',
      action: {
        code: 'five_hour_below_minimum',
        knownUnits: fiveHour.knownUnits,
        minimumUnits: fiveHourMinUnits,
      },
    })
  }
  if (weeklyMinUnits !== null && week.knownUnits + week.unknownUnits < weeklyMinUnits) {
    actions.push({
      tone: 'bad',
      action: {
        code: 'weekly_below_minimum',
        knownUnits: week.knownUnits,
        minimumUnits: weeklyMinUnits,
      },
    })
  }
  if (routableMin !== null && pool.routableCount < routableMin) {
    actions.push({
      tone: 'bad',
      action: {
        code: 'routable_below_minimum',
        routableCount: pool.routableCount,
        minimumCount: routableMin,
      },
    })
  }
  return actions
}

/** Less than this share of the tracked units left is low ... */
const LOW_SHARE = 0.1
/** ... unless more than this share is unknown: what is not read yet may be full. See docs/rules.md#health. */
const UNKNOWN_SHARE_MAX = 0.2

/** What the state of the pool asks for, whatever limits are set. None of it shows before its cause has lasted. */
export function poolActions(pool: EvaluatedPool): readonly ToneAction[] {
  // Once no account can be used, an action of its own says so.
  if (!pool.available || pool.routableCount === 0) return []
  return mainWindows.flatMap(({ id }) => lowActions(pool.capacity[id]))
}

function lowActions({
  windowId,
  knownUnits,
  trackedUnits,
  unknownUnits,
}: WindowCapacity): readonly ToneAction[] {
  if (knownUnits >= LOW_SHARE * trackedUnits || unknownUnits > UNKNOWN_SHARE_MAX * trackedUnits)
    return []
  return [{ tone: 'warn', action: { code: 'capacity_low', windowId, knownUnits, trackedUnits } }]
}
