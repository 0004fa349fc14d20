import type { Database } from '@svc/sqlite'
import { eq, sql } from 'drizzle-orm'
import { type CounterName, counterNames } from '../contract/history-store.ts'
import {
  type MetaName,
  type MetaValues,
  metaValuesOf,
  newIdentity,
} from '../contract/store-meta.ts'
import { ormOf } from './orm.ts'
import { meta } from './tables.ts'

export interface Meta extends MetaValues {
  set(name: MetaName, value: string | number): void
  clear(name: MetaName): void
  add(counts: Readonly<Partial<Record<CounterName, number>>>): void
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
  const values = metaValuesOf((name) => read.get({ name })?.value ?? null)
  const set = (name: MetaName, value: string | number) =>
    void write.run({ name, value: String(value) })
  return {
    ...values,
    set,
    clear: (name) => void orm.delete(meta).where(eq(meta.name, name)).run(),
    add(counts) {
      for (const name of counterNames) {
        const more = counts[name] ?? 0
        if (more > 0) set(name, values.count(name) + more)
      }
    },
  }
}

/** Gives a store without an identity a new one. */
export function giveIdentity(store: Meta): void {
  const { instance, fingerprint_key } = newIdentity()
  if (store.text('instance') === null) store.set('instance', instance)
  if (store.text('fingerprint_key') === null) store.set('fingerprint_key', fingerprint_key)
}
