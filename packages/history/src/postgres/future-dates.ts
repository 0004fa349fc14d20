import type { EpochMs } from '@svc/core'
import { cutAfterWrongClock } from '../usage/cut-after-wrong-clock.ts'
import { DAY_TIER_SECONDS, groupings } from '../usage/tiers.ts'
import type { Meta } from './meta.ts'
import type { Session } from './session.ts'

/**
 * Removes a future cut left by a wrong clock, because every new row would be dropped as too old. Gaps and changes of that clock are ended. A gap that
 * begins later is deleted only if no row proves that its time has come: missing usage must not look complete. Call inside a transaction that has
 * taken the cut. Rejects with HistoryError.
 */
export async function takeBackFuture(
  session: Session,
  meta: Meta,
  falseAfter: EpochMs,
): Promise<void> {
  const [newest] = await session.rows<{ day_s: number | null }>(
    `SELECT max(bucket_s) AS day_s FROM svc_quota_monitor.rollup_${DAY_TIER_SECONDS} WHERE grouping = $1 AND bucket_s <= $2`,
    [groupings.total, Math.floor(falseAfter / 1000)],
  )
  const cut = cutAfterWrongClock(newest?.day_s ?? null, falseAfter)
  if (cut === null) await meta.clear('cut_ms')
  else await meta.set({ cut_ms: cut })
  await session.run(
    'DELETE FROM svc_quota_monitor.gaps WHERE from_ms > greatest($1::bigint, (SELECT coalesce(max(at_ms), 0) FROM svc_quota_monitor.usage))',
    [falseAfter],
  )
  const beyond = 'to_ms > $1 AND from_ms <= $1'
  await session.run(
    `INSERT INTO svc_quota_monitor.gaps (upstream_id, from_ms, to_ms, reason)
     SELECT upstream_id, from_ms, $1, reason FROM svc_quota_monitor.gaps WHERE ${beyond} ON CONFLICT DO NOTHING`,
    [falseAfter],
  )
  await session.run(`DELETE FROM svc_quota_monitor.gaps WHERE ${beyond}`, [falseAfter])
  await session.run('UPDATE svc_quota_monitor.recent_changes SET at_ms = $1 WHERE at_ms > $1', [
    falseAfter,
  ])
}
