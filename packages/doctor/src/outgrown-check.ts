import { type EpochMs, HOUR_MS, plusMs } from '@svc/core'
import type { StoreInspection } from '@svc/history'
import { type CheckVerdict, ok, skip, warn } from './finding.ts'
import { BACKLOG_HOURS_MAX, OUTGROWN_GIGABYTES, OUTGROWN_ROWS_PER_SECOND } from './limits.ts'

const GB = 1024 ** 3
const DAY_SECONDS = 86_400

/** Whether a file is still the right place for a history of this size. */
export function outgrownVerdict(
  store: StoreInspection,
  retentionDays: number,
  now: EpochMs,
): CheckVerdict {
  if (store.file !== 'store') return skip('there is nothing in it yet', 'not_made_yet')
  const { fileBytes, isOnNetwork } = store
  const { requestsPerDay = null, oldestRowAt = null } = store.use ?? {}
  const perSecond = (requestsPerDay ?? 0) / DAY_SECONDS
  const kept = plusMs(now, -(retentionDays * 24 + BACKLOG_HOURS_MAX) * HOUR_MS)
  const reasons = [
    ...(fileBytes > OUTGROWN_GIGABYTES * GB ? [`${Math.round(fileBytes / GB)} GB`] : []),
    ...(perSecond > OUTGROWN_ROWS_PER_SECOND
      ? [`${Math.round(perSecond)} requests a second, day and night`]
      : []),
    ...(oldestRowAt !== null && oldestRowAt < kept
      ? ['requests are left that are older than usage_retention_days by more than a day']
      : []),
    ...(isOnNetwork ? ['a network file system'] : []),
  ]
  return reasons.length === 0
    ? ok('a file is enough')
    : warn(
        'outgrown',
        reasons.join(', '),
        'Move the history to PostgreSQL: init postgres sets it up, migrate-history copies it while the service runs.',
      )
}
