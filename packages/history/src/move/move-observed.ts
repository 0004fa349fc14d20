import { addRows } from '../backup/format/import-target.ts'
import type { Session } from '../postgres/session.ts'
import { createDictionaries } from '../sql/dictionary.ts'
import { linesOf, type MoveSides } from './moved-file.ts'

const SCHEMA = 'svc_quota_monitor'
const ROWS_PER_STATEMENT = 5_000

/** Moves titles, changes, gaps, prices and counts of causes, which are few. Rejects with HistoryError. */
export async function moveNotes({ file, target, names }: MoveSides): Promise<void> {
  for (const table of ['accounts', 'recentChanges', 'gaps', 'failureCauses', 'prices'] as const)
    await addRows(target, linesOf(file, table, names), async () => undefined)
}

/** Moves the readings of quota, with their origins, which no backup has. Rejects with HistoryError. */
export async function moveReadings(move: MoveSides): Promise<void> {
  const { file, session, names, ids } = move
  await ids.learn([...linesOf(file, 'accounts', names)])
  const courses = file.rows<readonly [number, string, string, string, number]>(
    'SELECT q.account_id, a.instance, a.key, q.window_id, count(*) FROM quota_samples q JOIN accounts a ON a.id = q.account_id GROUP BY 1, 4',
  )
  for (const [account, instance, key, windowId, count] of courses) {
    const id = ids.accountId(names.instance(instance), key)
    const next = (sinceMs: number) =>
      file.rows<readonly [number, ...unknown[]]>(
        `SELECT at_ms, percent, reset_at_ms, origin, sampled_at_ms FROM quota_samples
         WHERE account_id = ? AND window_id = ? AND at_ms > ? ORDER BY at_ms LIMIT ${ROWS_PER_STATEMENT}`,
        account,
        windowId,
        sinceMs,
      )
    await bring(session, 'quota_samples WHERE account_id = $1 AND window_id = $2', {
      values: [id, windowId],
      count,
      async putSince(sinceMs) {
        for (let rows = next(sinceMs); rows.length > 0; rows = next(rows.at(-1)?.[0] ?? 0))
          await session.run(
            `INSERT INTO ${SCHEMA}.quota_samples (account_id, window_id, at_ms, percent, reset_at_ms, origin, sampled_at_ms)
             SELECT $1, $2, * FROM unnest($3::bigint[], $4::float8[], $5::bigint[], $6::text[], $7::bigint[]) ON CONFLICT DO NOTHING`,
            [id, windowId, ...[0, 1, 2, 3, 4].map((index) => rows.map((row) => row[index]))],
          )
      },
    })
  }
}

/** Moves the capacity of the pool over time. Rejects with HistoryError. */
export async function movePoints({ file, session, target, names }: MoveSides): Promise<void> {
  const [[count] = [0]] = file.rows<readonly [number]>('SELECT count(*) FROM capacity_points')
  await bring(session, 'capacity_points', {
    values: [],
    count,
    async putSince(sinceMs) {
      const lines = linesOf(file, 'capacityPoints', names, { fromMs: sinceMs + 1 })
      await addRows(target, lines, async () => undefined)
    },
  })
}

/** Brings the rows after the newest one there, or all of them if both sides still differ. */
async function bring(
  session: Session,
  from: string,
  {
    values,
    count,
    putSince,
  }: {
    readonly values: readonly unknown[]
    readonly count: number
    readonly putSince: (sinceMs: number) => Promise<void>
  },
): Promise<void> {
  const there = async () => {
    const [row] = await session.rows<{ count: number; newest: number | null }>(
      `SELECT count(*) AS count, max(at_ms) AS newest FROM ${SCHEMA}.${from}`,
      values,
    )
    return { count: row?.count ?? 0, newest: row?.newest ?? -1 }
  }
  const before = await there()
  if (before.count === count) return
  await putSince(before.newest)
  if ((await there()).count < count) await putSince(-1)
}

/** Moves the position in each proxy's records, unless a monitor has advanced further meanwhile. Rejects with HistoryError. */
export async function movePositions({ file, session, names }: MoveSides): Promise<void> {
  const feeds = file.rows<readonly [string, ...(number | null)[]]>(
    'SELECT s.name, last_poll_ms, pop_mark_ms, tree_requests FROM feeds f JOIN upstreams s ON s.id = f.upstream_id',
  )
  const { upstreams } = createDictionaries(session, '')
  const idOf = await upstreams.idsOf(feeds.map(([name]) => names.upstream(name)))
  for (const [name, ...position] of feeds)
    await session.run(
      `INSERT INTO ${SCHEMA}.feeds AS f (upstream_id, last_poll_ms, pop_mark_ms, tree_requests) VALUES ($1, $2, $3, $4)
       ON CONFLICT (upstream_id) DO UPDATE SET last_poll_ms = excluded.last_poll_ms, pop_mark_ms = excluded.pop_mark_ms, tree_requests = excluded.tree_requests
       WHERE coalesce(f.last_poll_ms, -1) <= coalesce(excluded.last_poll_ms, -1)`,
      [idOf.get(names.upstream(name)), ...position],
    )
}
