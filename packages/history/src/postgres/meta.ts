import { type CounterName, counterNames } from '../contract/history-store.ts'
import {
  type MetaName,
  type MetaValues,
  metaNames,
  metaValuesOf,
  newIdentity,
} from '../contract/store-meta.ts'
import type { Session } from './session.ts'

/** The store's own values. Every method rejects with HistoryError. */
export interface Meta {
  /** All values at one moment. */
  read(): Promise<MetaValues>
  set(values: Readonly<Partial<Record<MetaName, string | number>>>): Promise<void>
  /** Sets only values that are not set; true if it set any. */
  setFirst(values: Readonly<Partial<Record<MetaName, string | number>>>): Promise<boolean>
  clear(name: MetaName): Promise<void>
  /** Adds counts. Locks them until the transaction ends, so that writers continue one after the other. */
  add(counts: Readonly<Partial<Record<CounterName, number>>>): Promise<void>
}

/** Ordered by name, so that two writers never wait for each other. */
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
      // The table also has values of every account.
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

/** Gives a store without an identity a new one; true if it had none. Of several monitors only the first succeeds. */
export function giveIdentity(meta: Meta): Promise<boolean> {
  return meta.setFirst(newIdentity())
}
