import { randomBytes } from 'node:crypto'
import { type EpochMs, epochMs } from '@svc/core'
import { type SQL, sql } from 'drizzle-orm'
import { type CounterName, counterNames } from '../contract/history-store.ts'
import { type Connection, insert, renewed, select } from './connection.ts'

/** Names of a store's own values, the same in every engine. */
const metaNames = [
  'instance',
  'fingerprint_key',
  'first_poll_ms',
  'last_write_ms',
  'cut_ms',
  'forgotten_as_of_ms',
  // Time from which sums by rate are complete; absent if they begin with the history.
  'pairs_since_ms',
  // Time before which sums by rate hold all requests, and from which they hold none; absent if they hold all.
  'rates_until_ms',
  // Day from which records tell their tier; absent if they always did.
  'tiers_since_ms',
  ...counterNames,
] as const
type MetaName = (typeof metaNames)[number]

export type MetaValues = Awaited<ReturnType<typeof readMeta>>

type MetaTexts = Readonly<Partial<Record<MetaName, string | number>>>

/** The store's own values, of which only those of these names are read. */
export async function readMeta(db: Connection, names: readonly MetaName[] = metaNames) {
  const { meta } = db.tables
  // The table also has values of every account.
  const found = await select(db, meta, ['name', 'value'], sql`WHERE ${meta.name} IN ${names}`)
  const values = new Map<string, string>(found.map(({ name, value }) => [name, value]))
  const text = (name: MetaName) => values.get(name) ?? null
  const count = (name: MetaName) => Number(text(name) ?? 0)
  return {
    text,
    count,
    instant(name: MetaName): EpochMs | null {
      // Earlier versions accepted any text from a backup.
      const value = Number(text(name) ?? Number.NaN)
      return Number.isSafeInteger(value) ? epochMs(value) : null
    },
    counters: () =>
      Object.fromEntries(counterNames.map((name) => [name, count(name)])) as Record<
        CounterName,
        number
      >,
  }
}

export async function setMeta(db: Connection, values: MetaTexts): Promise<void> {
  await insertTexts(db, values, sql`(name) DO UPDATE SET ${renewed(db.tables.meta.value)}`)
}

/** Sets only values that are not set; true if it set any. */
export async function setMetaOnce(db: Connection, values: MetaTexts): Promise<boolean> {
  return (await insertTexts(db, values, sql`DO NOTHING`)) > 0
}

export async function clearMeta(db: Connection, name: MetaName): Promise<void> {
  const { meta } = db.tables
  await db.run(sql`DELETE FROM ${meta} WHERE ${meta.name} = ${name}`)
}

/** Adds counts and locks them until the transaction ends, so that writers continue one after the other. */
export async function addCounts(
  db: Connection,
  counts: Readonly<Partial<Record<CounterName, number>>>,
): Promise<void> {
  const grown = counterNames.filter((name) => (counts[name] ?? 0) > 0)
  await insertTexts(
    db,
    Object.fromEntries(grown.map((name) => [name, counts[name] ?? 0])),
    sql`(name) DO UPDATE SET value = CAST(CAST(t.value AS bigint) + CAST(excluded.value AS bigint) AS text)`,
  )
}

/**
 * Gives a store without an identity a new one, which distinguishes it, and the clients in it, from every other; true if it had none. Of several
 * monitors only the first succeeds.
 */
export function giveIdentity(db: Connection): Promise<boolean> {
  const [instance, fingerprint_key] = [8, 32].map((bytes) => randomBytes(bytes).toString('hex'))
  return setMetaOnce(db, { instance, fingerprint_key } as MetaTexts)
}

/** Inserts values ordered by name, so that two writers never deadlock. */
function insertTexts(db: Connection, values: MetaTexts, onConflict: SQL): Promise<number> {
  const texts = Object.entries(values).map(([name, value]) => ({ name, value: String(value) }))
  const inOrder = texts.sort(({ name: one }, { name: other }) => (one < other ? -1 : 1))
  return insert(db, db.tables.meta, inOrder, onConflict)
}
