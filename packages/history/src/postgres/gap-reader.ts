import { type EpochMs, epochMs } from '@svc/core'
import { type Gap, missedMs } from '../usage/missed-time.ts'
import type { Session } from './session.ts'

/** Milliseconds between two instants that are in gaps. Rejects with HistoryError. */
export async function missedTime(session: Session, since: number, now: number): Promise<number> {
  return missedMs(await gapsSince(session, since), since, now)
}

/** Gaps that end after an instant, by their start. Rejects with HistoryError. */
export async function missedStretches(
  session: Session,
  since: EpochMs,
): Promise<readonly { readonly from: EpochMs; readonly to: EpochMs }[]> {
  return (await gapsSince(session, since)).map(([from, to]) => ({
    from: epochMs(from),
    to: epochMs(to),
  }))
}

/** Gaps by their start; they may overlap. */
async function gapsSince(session: Session, since: number): Promise<readonly Gap[]> {
  const rows = await session.rows<{ from_ms: number; to_ms: number }>(
    'SELECT from_ms, to_ms FROM svc_quota_monitor.gaps WHERE to_ms > $1 ORDER BY from_ms',
    [since],
  )
  return rows.map(({ from_ms, to_ms }): Gap => [from_ms, to_ms])
}
