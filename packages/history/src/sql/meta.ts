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
  // Day from which records tell their tier; absent if they always did.
  'tiers_since_ms',
  ...counterNames,
] as const
type MetaName = (typeof metaNames)[number]

export interface MetaValues {
  text(name: MetaName): string | null
  instant(name: MetaName): EpochMs | null
  count(name: MetaName): number
  counters(): Readonly<Record<CounterName, number>>
}

function metaValuesOf(text: MetaValues['text']): MetaValues {
  const count = (name: MetaName) => Number(text(name) ?? 0)
  return {
    text,
    count,
    instant(name) {
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

/** Creates the identity of a new store. It distinguishes the store, and the clients in it, from every other. */
function newIdentity() {
  return {
    instance: randomBytes(8).toString('hex'),
    fingerprint_key: randomBytes(32).toString('hex'),
  } as const satisfies Readonly<Partial<Record<MetaName, string>>>
}

type MetaTexts = Readonly<Partial<Record<MetaName, string | number>>>

/** The store's own values, of which only those of these names are read. */
export async function readMeta(
  db: Connection,
  names: readonly MetaName[] = metaNames,
): Promise<MetaValues> {
  const { meta } = db.tables
  // The table also has values of every account.
  const found = await select(db, meta, ['name', 'value'], sql`WHERE ${meta.name} IN ${names}`)
  const values = new Map<string, string>(found.map(({ name, value }) => [name, value]))
  return metaValuesOf((name) => values.get(name) ?? null)
}

export async function setMeta(db: Connection, values: MetaTexts): Promise<void> {
  const { meta } = db.tables
  await insertTexts(
    db,
    values,
    sql`(${sql.identifier(meta.name.name)}) DO UPDATE SET ${renewed(meta.value)}`,
  )
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

/** Gives a store without an identity a new one; true if it had none. Of several monitors only the first succeeds. */
export function giveIdentity(db: Connection): Promise<boolean> {
  return setMetaOnce(db, newIdentity())
}

/** Inserts values ordered by name, so that two writers never deadlock. */
function insertTexts(db: Connection, values: MetaTexts, onConflict: SQL): Promise<number> {
  const texts = Object.entries(values).map(([name, value]) => ({ name, value: String(value) }))
  return insert(db, db.tables.meta, texts.sort(byName), onConflict)
}

interface Named {
  readonly name: string
}

export function byName({ name: one }: Named, { name: other }: Named): number {
  return one < other ? -1 : 1
}
