import { randomBytes } from 'node:crypto'
import { type EpochMs, epochMs } from '@svc/core'
import { eq, sql } from 'drizzle-orm'
import { type CounterName, counterNames } from '../contract/history-store.ts'
import { ormOf } from './orm.ts'
import type { Database } from './sqlite.ts'
import { meta } from './tables.ts'

/** What the store knows of itself. */
type MetaName =
  | 'instance'
  | 'fingerprint_key'
  | 'first_poll_ms'
  | 'last_write_ms'
  | 'cut_ms'
  | 'forgotten_as_of_ms'
  | CounterName

export interface Meta {
  text(name: MetaName): string | null
  instant(name: MetaName): EpochMs | null
  count(name: MetaName): number
  set(name: MetaName, value: string | number): void
  clear(name: MetaName): void
  add(counts: Readonly<Partial<Record<CounterName, number>>>): void
  counters(): Readonly<Record<CounterName, number>>
}

export function createMeta(db: Database): Meta {
  const orm = ormOf(db)
  const read = orm
    .select({ value: meta.value })
    .from(meta)
    .where(eq(meta.name, sql.placeholder('name')))
    .prepare()
  const write = orm
    .insert(meta)
    .values({ name: sql.placeholder('name'), value: sql.placeholder('value') })
    .onConflictDoUpdate({ target: meta.name, set: { value: sql`excluded.value` } })
    .prepare()
  const text = (name: MetaName) => read.get({ name })?.value ?? null
  const count = (name: MetaName) => Number(text(name) ?? 0)
  const set = (name: MetaName, value: string | number) =>
    void write.run({ name, value: String(value) })
  return {
    text,
    count,
    set,
    instant(name) {
      // Versions before this one took any text over from a backup.
      const value = Number(text(name) ?? Number.NaN)
      return Number.isSafeInteger(value) ? epochMs(value) : null
    },
    clear: (name) => void orm.delete(meta).where(eq(meta.name, name)).run(),
    add(counts) {
      for (const name of counterNames) {
        const more = counts[name] ?? 0
        if (more > 0) set(name, count(name) + more)
      }
    },
    counters: () =>
      Object.fromEntries(counterNames.map((name) => [name, count(name)])) as Record<
        CounterName,
        number
      >,
  }
}

/** Values a store is born with: they tell it, and the clients in it, from every other. */
export function giveIdentity(store: Meta): void {
  if (store.text('instance') === null) store.set('instance', randomBytes(8).toString('hex'))
  if (store.text('fingerprint_key') === null)
    store.set('fingerprint_key', randomBytes(32).toString('hex'))
}
