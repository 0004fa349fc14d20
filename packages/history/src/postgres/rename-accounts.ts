import type { Session } from './session.ts'
import { storedText } from './stored-text.ts'

/** Stores changed titles of accounts. Call inside a transaction. Rejects with HistoryError. */
export async function renameAccounts(
  session: Session,
  ids: ReadonlyMap<string, number>,
  titles: ReadonlyMap<string, string>,
): Promise<void> {
  const named = [...titles].flatMap(([key, title]) => {
    const id = ids.get(key)
    return id === undefined ? [] : [{ id, title: storedText(title) }]
  })
  const values = [named.map(({ id }) => id), named.map(({ title }) => title)]
  const from = 'unnest($1::int[], $2::text[]) AS new (id, title)'
  // Ordered, so that two monitors with the same names lock the rows in the same order.
  const changed = await session.rows(
    `SELECT a.id FROM svc_quota_monitor.accounts a JOIN ${from} ON new.id = a.id WHERE a.title <> new.title ORDER BY a.id FOR UPDATE OF a`,
    values,
  )
  if (changed.length === 0) return
  await session.run(
    `UPDATE svc_quota_monitor.accounts a SET title = new.title FROM ${from} WHERE a.id = new.id AND a.title <> new.title`,
    values,
  )
}
