import type { UpstreamName } from '@svc/core/service'
import type { BackupLine } from '../backup/format/backup-reader.ts'
import type { ImportTarget } from '../backup/format/import-target.ts'
import { createDictionaries, type Dictionaries } from '../postgres/dictionary.ts'
import type { Session } from '../postgres/session.ts'
import { storedText } from '../postgres/stored-text.ts'
import type { MovedNames, MoveFile, Row } from './move-file.ts'

const SCHEMA = 'svc_quota_monitor'

/** Moves titles, changes and gaps: the few rows that backups also have. Rejects with HistoryError. */
export async function moveNotes(
  file: MoveFile,
  target: ImportTarget,
  names: MovedNames,
): Promise<void> {
  const put = async (
    table: BackupLine['table'],
    sql: string,
    rowOf: (row: Row) => Row = (row) => row,
  ) => {
    for (const page of file.rows(sql))
      await target.add(page.map((row) => ({ table, row: rowOf(row), number: 0 }) as BackupLine))
  }
  await put(
    'accounts',
    'SELECT instance, key, title FROM accounts ORDER BY id',
    ([instance, key, title = '']) => [
      names.instance(String(instance)),
      storedText(String(key)),
      title,
    ],
  )
  await put(
    'recentChanges',
    'SELECT at_ms, tone, detail FROM recent_changes ORDER BY at_ms, id',
    ([at = 0, tone = '', detail]) => [at, tone, storedText(String(detail))],
  )
  await put(
    'gaps',
    'SELECT from_ms, to_ms, reason, s.name FROM gaps g JOIN upstreams s ON s.id = g.upstream_id',
    ([from = 0, to = 0, reason = '', upstream]) => [
      from,
      to,
      reason,
      names.upstream(String(upstream)),
    ],
  )
}

/** Moves the course of quota: for each account and window the readings after the newest one there, or all of them if both sides still differ. */
export async function moveReadings(
  file: MoveFile,
  session: Session,
  names: MovedNames,
): Promise<void> {
  const dictionaries = new Map<string, Dictionaries['accounts']>()
  const idOf = async (instance: string, key: string) => {
    const accounts = dictionaries.get(instance) ?? createDictionaries(session, instance).accounts
    dictionaries.set(instance, accounts)
    return (await accounts.idsOf([key])).get(key) ?? 0
  }
  const courses = [
    ...file.rows(
      'SELECT q.account_id, a.instance, a.key, q.window_id, count(*) FROM quota_samples q JOIN accounts a ON a.id = q.account_id GROUP BY 1, 4',
    ),
  ].flat()
  for (const [account = 0, instance, key, windowId = '', count] of courses) {
    const id = await idOf(names.instance(String(instance)), storedText(String(key)))
    const there = async () => {
      const [row] = await session.rows<{ count: number; newest: number | null }>(
        `SELECT count(*) AS count, max(at_ms) AS newest FROM ${SCHEMA}.quota_samples WHERE account_id = $1 AND window_id = $2`,
        [id, windowId],
      )
      return { count: row?.count ?? 0, newest: row?.newest ?? -1 }
    }
    const putSince = async (since: number) => {
      const pages = file.rows(
        'SELECT at_ms, percent, reset_at_ms, origin, sampled_at_ms FROM quota_samples WHERE account_id = ? AND window_id = ? AND at_ms > ? ORDER BY at_ms',
        [account as number, windowId as string, since],
      )
      for (const page of pages)
        await session.run(
          `INSERT INTO ${SCHEMA}.quota_samples (account_id, window_id, at_ms, percent, reset_at_ms, origin, sampled_at_ms)
           SELECT $1, $2, * FROM unnest($3::bigint[], $4::float8[], $5::bigint[], $6::text[], $7::bigint[]) ON CONFLICT DO NOTHING`,
          [id, windowId, ...columns(page, 5)],
        )
    }
    const before = await there()
    if (before.count === count) continue
    await putSince(before.newest)
    if ((await there()).count < Number(count)) await putSince(-1)
  }
}

/** Moves the capacity of the pool over time, as `moveReadings` moves readings. */
export async function movePoints(file: MoveFile, session: Session): Promise<void> {
  const putSince = async (since: number) => {
    const pages = file.rows(
      'SELECT window_id, at_ms, known_units, tracked_units, unknown_units, burned_units FROM capacity_points WHERE at_ms > ?',
      [since],
    )
    for (const page of pages)
      await session.run(
        `INSERT INTO ${SCHEMA}.capacity_points (window_id, at_ms, known_units, tracked_units, unknown_units, burned_units)
         SELECT * FROM unnest($1::text[], $2::bigint[], $3::float8[], $4::float8[], $5::float8[], $6::float8[]) ON CONFLICT DO NOTHING`,
        columns(page, 6),
      )
  }
  const there = async () => {
    const [row] = await session.rows<{ count: number; newest: number | null }>(
      `SELECT count(*) AS count, max(at_ms) AS newest FROM ${SCHEMA}.capacity_points`,
    )
    return { count: row?.count ?? 0, newest: row?.newest ?? -1 }
  }
  const [[[count] = []] = []] = file.rows('SELECT count(*) FROM capacity_points')
  const before = await there()
  if (before.count === count) return
  await putSince(before.newest)
  if ((await there()).count < Number(count)) await putSince(-1)
}

/** Moves the position in each proxy's records, unless a monitor has advanced further meanwhile. */
export async function movePositions(
  file: MoveFile,
  session: Session,
  upstreamOf: (name: UpstreamName) => UpstreamName,
): Promise<void> {
  const { upstreams } = createDictionaries(session, '')
  const feeds = [
    ...file.rows(
      'SELECT s.name, last_poll_ms, pop_mark_ms, tree_requests FROM feeds f JOIN upstreams s ON s.id = f.upstream_id',
    ),
  ].flat()
  for (const [name, ...position] of feeds) {
    const upstream = upstreamOf(String(name))
    const id = (await upstreams.idsOf([upstream])).get(upstream) ?? 0
    await session.run(
      `INSERT INTO ${SCHEMA}.feeds AS f (upstream_id, last_poll_ms, pop_mark_ms, tree_requests) VALUES ($1, $2, $3, $4)
       ON CONFLICT (upstream_id) DO UPDATE SET last_poll_ms = excluded.last_poll_ms, pop_mark_ms = excluded.pop_mark_ms, tree_requests = excluded.tree_requests
       WHERE coalesce(f.last_poll_ms, -1) <= coalesce(excluded.last_poll_ms, -1)`,
      [id, ...position],
    )
  }
}

function columns(page: readonly Row[], width: number) {
  return Array.from({ length: width }, (_, index) => page.map((row) => row[index]))
}
