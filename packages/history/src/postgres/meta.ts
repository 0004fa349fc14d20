import { type CounterName, counterNames } from '../contract/history-store.ts'
import {
  type MetaName,
  type MetaValues,
  metaNames,
  metaValuesOf,
  newIdentity,
} from '../contract/store-meta.ts'
import type { Session } from './session.ts'

/** What the store knows of itself. Every method rejects with HistoryError. */
export interface Meta {
  /** All of it, at one moment. */
  read(): Promise<MetaValues>
  set(values: Readonly<Partial<Record<MetaName, string | number>>>): Promise<void>
  /** Sets what is not set yet; true where something was. */
  setFirst(values: Readonly<Partial<Record<MetaName, string | number>>>): Promise<boolean>
  clear(name: MetaName): Promise<void>
  /** Other writers wait with theirs until the transaction ends, so that they come one after the other from here on. */
  add(counts: Readonly<Partial<Record<CounterName, number>>>): Promise<void>
}

/** In the order of their names, so that two writers never wait for each other. */
const INSERT = `INSERT INTO svc_quota_monitor.meta AS m (name, value)
  SELECT name, value FROM unnest($1::text[], $2::text[]) AS more (name, value) ORDER BY name`

export function createMeta(session: Session): Meta {
  const insert = (sql: string, values: Readonly<Partial<Record<MetaName, string | number>>>) => {
    const entries = Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1))
    return entries.length === 0
      ? Promise.resolve(0)
      : session.run(sql, [entries.map(([name]) => name), entries.map(([, value]) => String(value))])
  }
  return {
    async read() {
      // The same table holds what is kept of every account.
      const rows = await session.rows<{ name: MetaName; value: string }>(
        'SELECT name, value FROM svc_quota_monitor.meta WHERE name = ANY ($1::text[])',
        [metaNames],
      )
      const values = new Map(rows.map(({ name, value }) => [name, value]))
      return metaValuesOf((name) => values.get(name) ?? null)
    },
    async set(values) {
      await insert(`${INSERT} ON CONFLICT (name) DO UPDATE SET value = excluded.value`, values)
    },
    setFirst: async (values) => (await insert(`${INSERT} ON CONFLICT DO NOTHING`, values)) > 0,
    async clear(name) {
      await session.run('DELETE FROM svc_quota_monitor.meta WHERE name = $1', [name])
    },
    async add(counts) {
      const grown = counterNames.filter((name) => (counts[name] ?? 0) > 0)
      await insert(
        `${INSERT} ON CONFLICT (name) DO UPDATE SET value = (m.value::bigint + excluded.value::bigint)::text`,
        Object.fromEntries(grown.map((name) => [name, counts[name] ?? 0])),
      )
    },
  }
}

/** Gives a store the identity it is born with, as far as it has none; true where it had none. Of several monitors one is first. */
export function giveIdentity(meta: Meta): Promise<boolean> {
  return meta.setFirst(newIdentity())
}
