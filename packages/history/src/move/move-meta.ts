import { HistoryError } from '../contract/history-error.ts'
import { type CounterName, counterNames } from '../contract/history-store.ts'
import type { Session } from '../postgres/session.ts'

export type MetaTexts = ReadonlyMap<string, string>

/** Values of which the later one is kept. */
const LATER = ['cut_ms', 'forgotten_as_of_ms', 'last_write_ms'] as const
/** Names of values about the last pool state and about sent notifications. */
const POOL = /^(?:pool$|account |told )/

/** Reads a database's own values. Rejects with HistoryError. */
export async function metaOf(session: Session): Promise<MetaTexts> {
  const rows = await session.rows<{ name: string; value: string }>(
    'SELECT name, value FROM svc_quota_monitor.meta',
  )
  return new Map(rows.map(({ name, value }) => [name, value]))
}

/** Throws HistoryError: not_ours, if a database has the identity of another file. */
export function requireOwn(file: MetaTexts, there: MetaTexts): void {
  if (there.has('instance') && there.get('instance') !== file.get('instance'))
    throw new HistoryError(
      'not_ours',
      'the database holds the history of another monitor: to add this file to it, say with --upstream <name> how its proxy is to be called there; to move it, name an empty database',
    )
}

/** Moves the store's own values except its identity and first poll. May be run again. Rejects with HistoryError. */
export async function moveMeta(session: Session, file: MetaTexts): Promise<void> {
  const there = await metaOf(session)
  const instant = (texts: MetaTexts) => Number(texts.get('last_write_ms') ?? Number.NaN)
  await put(
    session,
    [...LATER, ...(counterNames satisfies readonly CounterName[])].flatMap((name) => {
      const value = file.get(name)
      return Number.isSafeInteger(Number(value)) && value !== undefined ? [[name, value]] : []
    }),
    'WHERE excluded.value::numeric > m.value::numeric',
  )
  // A monitor that already runs on the database knows the pool better.
  if (instant(file) < instant(there)) return
  await put(
    session,
    [...file].filter(([name]) => POOL.test(name) && !name.includes('\0')),
    '',
  )
}

async function put(
  session: Session,
  entries: readonly (readonly string[])[],
  condition: string,
): Promise<void> {
  const sorted = entries.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1))
  await session.run(
    `INSERT INTO svc_quota_monitor.meta AS m (name, value) SELECT * FROM unnest($1::text[], $2::text[])
     ON CONFLICT (name) DO UPDATE SET value = excluded.value ${condition}`,
    [sorted.map(([name]) => name), sorted.map(([, value]) => value)],
  )
}
