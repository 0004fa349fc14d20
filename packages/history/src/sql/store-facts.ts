import { type EpochMs, epochMs } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import { sql } from 'drizzle-orm'
import { DAY_TIER_SECONDS } from '../usage/tiers.ts'
import { rows, type Steps, value } from './steps.ts'

export const DAY_SUMS = sql.raw(`svc_quota_monitor.rollup_${DAY_TIER_SECONDS}`)

/** Start of the request of the oldest or newest row; null without rows. */
export function* rowTime(which: 'min' | 'max'): Steps<EpochMs | null> {
  const at = yield* value(
    sql`SELECT ${sql.raw(which)}(at_ms) AS value FROM svc_quota_monitor.usage`,
  )
  return at === null ? null : epochMs(at)
}

/** All proxies whose usage was ever kept, oldest first. */
export function* upstreamNames(): Steps<readonly UpstreamName[]> {
  const found = yield* rows<{ name: string }>(
    sql`SELECT name FROM svc_quota_monitor.upstreams ORDER BY id`,
  )
  return found.map(({ name }) => name)
}
