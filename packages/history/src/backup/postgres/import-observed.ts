import type { Session } from '../../postgres/session.ts'
import { storedText } from '../../postgres/stored-text.ts'
import type { BackupRow } from '../format/backup-format.ts'
import type { BackupLine } from '../format/backup-reader.ts'
import type { ImportNames } from './import-names.ts'

/** Adds the pool's observations: each row unless there is one for its time. Call inside a transaction. Rejects with HistoryError. */
export async function addObserved(
  session: Session,
  names: ImportNames,
  lines: readonly BackupLine[],
): Promise<void> {
  const samples = rowsOf(lines, 'quotaSamples')
  const points = rowsOf(lines, 'capacityPoints')
  const changes = rowsOf(lines, 'recentChanges')
  const gaps = rowsOf(lines, 'gaps')
  if (samples.length > 0)
    await session.run(
      `INSERT INTO svc_quota_monitor.quota_samples (account_id, window_id, at_ms, percent, reset_at_ms)
       SELECT * FROM unnest($1::int[], $2::text[], $3::bigint[], $4::float8[], $5::bigint[]) ON CONFLICT DO NOTHING`,
      [
        samples.map(([instance, account]) => names.accountId(instance, account)),
        samples.map(([, , windowId]) => storedText(windowId)),
        ...columnsOf(samples, 3),
      ],
    )
  if (points.length > 0)
    await session.run(
      `INSERT INTO svc_quota_monitor.capacity_points (window_id, at_ms, known_units, tracked_units, unknown_units, burned_units)
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::float8[], $4::float8[], $5::float8[], $6::float8[]) ON CONFLICT DO NOTHING`,
      [points.map(([windowId]) => storedText(windowId)), ...columnsOf(points, 1)],
    )
  if (changes.length > 0)
    await session.run(
      `INSERT INTO svc_quota_monitor.recent_changes (id, at_ms, tone, detail)
       SELECT (SELECT coalesce(max(id), 0) FROM svc_quota_monitor.recent_changes) + row_number() OVER (), at_ms, tone, detail
       FROM (SELECT DISTINCT at_ms, tone, detail FROM unnest($1::bigint[], $2::text[], $3::text[]) AS given (at_ms, tone, detail)
         WHERE NOT EXISTS (SELECT 1 FROM svc_quota_monitor.recent_changes c
           WHERE c.at_ms = given.at_ms AND c.tone = given.tone AND c.detail = given.detail) ORDER BY at_ms) AS new`,
      [
        changes.map(([at]) => at),
        changes.map(([, tone]) => tone),
        changes.map(([, , detail]) => storedText(detail)),
      ],
    )
  if (gaps.length > 0)
    await session.run(
      `INSERT INTO svc_quota_monitor.gaps (from_ms, to_ms, reason, upstream_id)
       SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::smallint[]) ON CONFLICT DO NOTHING`,
      [
        gaps.map(([from]) => from),
        gaps.map(([, to]) => to),
        gaps.map(([, , reason]) => storedText(reason)),
        gaps.map(([, , , upstream]) => names.idOf('upstreams', upstream)),
      ],
    )
}

export function rowsOf<Table extends BackupLine['table']>(
  lines: readonly BackupLine[],
  of: Table,
): readonly BackupRow<Table>[] {
  return lines.flatMap(({ table, row }) => (table === of ? [row as BackupRow<Table>] : []))
}

function columnsOf(
  rows: readonly (readonly (string | number | null)[])[],
  from: number,
): readonly (readonly (string | number | null | undefined)[])[] {
  const width = rows[0]?.length ?? 0
  return Array.from({ length: width - from }, (_, index) => rows.map((row) => row[from + index]))
}
