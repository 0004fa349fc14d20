import type { SourceId } from '../facts/source.ts'
import type { EvaluatedPool } from '../pool/evaluated-pool.ts'
import type { HealthAction, ToneAction } from './health-actions.ts'

const KEEPING_FROM_READING: ReadonlySet<HealthAction['code']> = new Set<HealthAction['code']>([
  'gateway_down',
  'management_key_missing',
  'management_key_unreadable',
  'management_key_refused',
  'management_banned',
])

/** Whether the action says why no account list can be read. */
export const keepsFromReading = ({ action }: ToneAction): boolean =>
  KEEPING_FROM_READING.has(action.code)

/** Actions the age and completeness of the snapshot ask for. `isExplained`: another action says why no account list can be read. */
export function snapshotActions(
  pool: EvaluatedPool,
  failedSources: readonly SourceId[],
  isExplained: boolean,
): readonly ToneAction[] {
  if (pool.source === 'unavailable')
    return isExplained ? [] : [{ tone: 'bad', action: { code: 'snapshot_unavailable' } }]
  if (pool.source === 'stale' && pool.sampledAt !== null) {
    return [{ tone: 'warn', action: { code: 'snapshot_stale', sampledAt: pool.sampledAt } }]
  }
  if (pool.source === 'partial')
    return [{ tone: 'warn', action: { code: 'snapshot_partial', failedSources } }]
  return []
}
