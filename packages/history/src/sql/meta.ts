import { type SQL, sql } from 'drizzle-orm'
import { type CounterName, counterNames } from '../contract/history-store.ts'
import {
  type MetaName,
  type MetaValues,
  metaNames,
  metaValuesOf,
  newIdentity,
} from '../contract/store-meta.ts'
import { insert, rows, run, type Steps, type StepsOf } from './steps.ts'

export interface Meta {
  read(): Promise<MetaValues>
  set(values: MetaTexts): Promise<void>
  /** Sets only values that are not set; true if it set any. */
  setFirst(values: MetaTexts): Promise<boolean>
  clear(name: MetaName): Promise<void>
  /** Adds counts. Locks them until the transaction ends, so that writers continue one after the other. */
  add(counts: Readonly<Partial<Record<CounterName, number>>>): Promise<void>
  /** Gives a store without an identity a new one; true if it had none. Of several monitors only the first succeeds. */
  giveIdentity(): Promise<boolean>
}

type MetaTexts = Readonly<Partial<Record<MetaName, string | number>>>

export const metaSteps: StepsOf<Meta> = {
  *read() {
    // The table also has values of every account.
    const found = yield* rows<{ name: MetaName; value: string }>(
      sql`SELECT name, value FROM svc_quota_monitor.meta WHERE name IN ${metaNames}`,
    )
    const values = new Map(found.map(({ name, value }) => [name, value]))
    return metaValuesOf((name) => values.get(name) ?? null)
  },
  *set(values) {
    yield* insertTexts(values, sql`(name) DO UPDATE SET value = excluded.value`)
  },
  *setFirst(values) {
    return (yield* insertTexts(values, sql`DO NOTHING`)) > 0
  },
  *clear(name) {
    yield* run(sql`DELETE FROM svc_quota_monitor.meta WHERE name = ${name}`)
  },
  *add(counts) {
    const grown = counterNames.filter((name) => (counts[name] ?? 0) > 0)
    yield* insertTexts(
      Object.fromEntries(grown.map((name) => [name, counts[name] ?? 0])),
      sql`(name) DO UPDATE SET value = CAST(CAST(t.value AS bigint) + CAST(excluded.value AS bigint) AS text)`,
    )
  },
  giveIdentity: () => metaSteps.setFirst(newIdentity()),
}

/** Ordered by name, so that two writers never wait for each other. */
function insertTexts(values: MetaTexts, onConflict: SQL): Steps<number> {
  const texts = Object.entries(values).map(([name, value]) => [name, String(value)] as const)
  return insert('meta', ['name', 'value'], texts.sort(byName), onConflict)
}

export function byName(
  [one]: readonly [string, ...unknown[]],
  [other]: readonly [string, ...unknown[]],
): number {
  return one < other ? -1 : 1
}
