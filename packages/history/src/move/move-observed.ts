import type { UpstreamName } from '@svc/core/service'
import { type SQL, sql } from 'drizzle-orm'
import { addRows } from '../backup/target/import-target.ts'
import type { Session } from '../postgres/session.ts'
import { insert, named, onlyValue, renewed, select } from '../sql/connection.ts'
import { createDictionaries } from '../sql/dictionary.ts'
import { linesOf, type MoveSides } from './moved-file.ts'

/** Readings of one transaction. */
const ROWS_AT_ONCE = 5_000

/** Moves titles, changes, gaps, prices and counts of causes, which are few. Rejects with HistoryError. */
export async function moveNotes({ file, target, names }: MoveSides): Promise<void> {
  for (const table of ['accounts', 'recentChanges', 'gaps', 'failureCauses', 'prices'] as const)
    await addRows(target, linesOf(file, table, names), async () => undefined)
}

/** Moves the readings of quota, with their origins, which no backup has. Rejects with HistoryError. */
export async function moveReadings(move: MoveSides): Promise<void> {
  const { file, session, names, ids } = move
  const { accounts, quotaSamples } = file.db.tables
  await ids.learn([...linesOf(file, 'accounts', names)])
  const courses = await file.db.rows<Course>(
    sql`SELECT ${named(quotaSamples.accountId, 'accountId')}, ${accounts.instance}, ${accounts.key}, ${named(quotaSamples.windowId, 'windowId')}, count(*) AS count
      FROM ${quotaSamples} JOIN ${accounts} ON ${accounts.id} = ${quotaSamples.accountId} GROUP BY 1, 4`,
  )
  for (const { accountId, instance, key, windowId, count } of courses) {
    const next = (sinceMs: number) =>
      select(
        file.db,
        quotaSamples,
        ['atMs', 'percent', 'resetAtMs', 'origin', 'sampledAtMs'],
        sql`WHERE ${quotaSamples.accountId} = ${accountId} AND ${quotaSamples.windowId} = ${windowId} AND ${quotaSamples.atMs} > ${sinceMs}
          ORDER BY ${quotaSamples.atMs} LIMIT ${ROWS_AT_ONCE}`,
      )
    const place = { accountId: ids.accountId(names.instance(instance), key), windowId }
    const into = session.tables.quotaSamples
    const there = sql`${into} WHERE ${into.accountId} = ${place.accountId} AND ${into.windowId} = ${windowId}`
    await bring(session, there, count, async (sinceMs) => {
      for (let rows = await next(sinceMs); rows.length > 0; ) {
        const readings = rows.map((row) => ({ ...place, ...row }))
        await session.transaction('write', () => insert(session, into, readings))
        rows = await next(rows.at(-1)?.atMs ?? 0)
      }
    })
  }
}

interface Course {
  readonly accountId: number
  readonly instance: string
  readonly key: string
  readonly windowId: string
  readonly count: number
}

/** Moves the capacity of the pool over time. Rejects with HistoryError. */
export async function movePoints({ file, session, target, names }: MoveSides): Promise<void> {
  const points = file.db.tables.capacityPoints
  const count = await onlyValue(file.db, sql`SELECT count(*) AS value FROM ${points}`)
  await bring(session, sql`${session.tables.capacityPoints}`, count ?? 0, async (sinceMs) => {
    const lines = linesOf(file, 'capacityPoints', names, { fromMs: sinceMs + 1 })
    await addRows(target, lines, async () => undefined)
  })
}

/** Brings the rows after the newest one there, or all of them if both sides still differ. */
async function bring(
  session: Session,
  from: SQL,
  count: number,
  putSince: (sinceMs: number) => Promise<void>,
): Promise<void> {
  const there = async () => {
    const [row] = await session.rows<{ count: number; newest: number | null }>(
      sql`SELECT count(*) AS count, max(at_ms) AS newest FROM ${from}`,
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
  const { feeds, upstreams } = file.db.tables
  const fields = ['upstreamId', 'lastPollMs', 'popMarkMs', 'treeRequests'] as const
  const positions = await select(file.db, feeds, fields)
  const found = await select(file.db, upstreams, ['id', 'name'])
  const nameOf = new Map<number, UpstreamName>(
    found.map(({ id, name }) => [id, names.upstream(name)]),
  )
  const idOf = await createDictionaries(session, '').upstreams.idsOf(nameOf.values())
  const { feeds: into } = session.tables
  for (const { upstreamId, ...position } of positions)
    await insert(
      session,
      into,
      [{ ...position, upstreamId: idOf.get(nameOf.get(upstreamId) ?? '') ?? 0 }],
      sql`(upstream_id) DO UPDATE SET ${renewed(into.lastPollMs, into.popMarkMs, into.treeRequests)}
        WHERE coalesce(t.last_poll_ms, -1) <= coalesce(excluded.last_poll_ms, -1)`,
    )
}
