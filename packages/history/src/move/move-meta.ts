import { HistoryError } from '../contract/history-error.ts'
import { type CounterName, counterNames } from '../contract/history-store.ts'
import type { Session } from '../postgres/session.ts'

/** A store's own values, as text. */
export type MetaTexts = ReadonlyMap<string, string>

const IDENTITY = ['instance', 'fingerprint_key'] as const
/** Values of which the later one stays. */
const LATER = ['cut_ms', 'forgotten_as_of_ms', 'last_write_ms'] as const
/** Names of values about the last state of the pool. */
const POOL = /^(?:pool$|account )/

/** Reads a database's own values. Rejects with HistoryError. */
export async function metaOf(session: Session): Promise<MetaTexts> {
  const rows = await session.rows<{ name: string; value: string }>(
    'SELECT name, value FROM svc_quota_monitor.meta',
  )
  return new Map(rows.map(({ name, value }) => [name, value]))
}

/** Gives a database without an identity that of the file. Throws HistoryError: not_ours if it has another and this is not a merge. */
export async function takeIdentity(
  session: Session,
  file: MetaTexts,
  isMerge: boolean,
): Promise<MetaTexts> {
  const there = await metaOf(session)
  if (there.get('instance') === undefined) {
    await put(
      session,
      new Map(IDENTITY.flatMap((name) => pair(name, file.get(name)))),
      'ON CONFLICT DO NOTHING',
    )
    return metaOf(session)
  }
  if (!isMerge && there.get('instance') !== file.get('instance'))
    throw new HistoryError(
      'not_ours',
      'the database holds the history of another monitor: to add this file to it, say with --upstream <name> how its proxy is to be called there; to move it, name an empty database',
    )
  return there
}

/** Moves the store's own values except its identity. May be run again. Rejects with HistoryError. */
export async function moveMeta(
  session: Session,
  file: MetaTexts,
  { isMerge }: { readonly isMerge: boolean },
): Promise<void> {
  const there = await metaOf(session)
  const values = new Map<string, string>()
  const number = (texts: MetaTexts, name: string) => Number(texts.get(name) ?? Number.NaN)
  const take = (name: string, isBetter: (here: number, other: number) => boolean) => {
    const [here, other] = [number(file, name), number(there, name)]
    if (Number.isSafeInteger(here) && (!Number.isSafeInteger(other) || isBetter(here, other)))
      values.set(name, String(here))
  }
  take('first_poll_ms', (here, other) => here < other)
  if (!isMerge) {
    const isNewer = !(number(file, 'last_write_ms') < number(there, 'last_write_ms'))
    for (const name of LATER) take(name, (here, other) => here > other)
    for (const name of counterNames satisfies readonly CounterName[])
      take(name, (here, other) => here > other)
    // A monitor that already runs on the database knows the pool better.
    for (const [name, value] of file)
      if (POOL.test(name) && !name.includes('\0') && isNewer) values.set(name, value)
  }
  await put(session, values, 'ON CONFLICT (name) DO UPDATE SET value = excluded.value')
}

function pair(name: string, value: string | undefined): readonly (readonly [string, string])[] {
  return value === undefined ? [] : [[name, value]]
}

async function put(session: Session, values: MetaTexts, onConflict: string): Promise<void> {
  const entries = [...values].sort(([one], [other]) => (one < other ? -1 : 1))
  await session.run(
    `INSERT INTO svc_quota_monitor.meta (name, value) SELECT * FROM unnest($1::text[], $2::text[]) ${onConflict}`,
    [entries.map(([name]) => name), entries.map(([, value]) => value)],
  )
}
