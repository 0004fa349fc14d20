import type { Database } from '@svc/sqlite'
import { droppedRows } from '../contract/history-error.ts'
import type { Bucket, RowWriter, UsageRow } from '../sql/engine.ts'
import { measureColumns, setMeasures, statedColumns, statedValues } from '../usage/measures.ts'
import { codeOf } from './sqlite-error.ts'

/** Row writer of an open file, with prepared statements. */
export function createRowWriter(db: Database): RowWriter {
  const insertOne = db.prepare(insertSql('INSERT OR IGNORE', 1))
  const insertMany = db.prepare(insertSql('INSERT', AT_ONCE))
  const find = db.prepare('SELECT 1 FROM usage WHERE at_ms = ? AND key = ?').pluck()
  const upserts = { add: upsertsOf(db, 'add'), larger: upsertsOf(db, 'larger') }
  const isNew = (row: UsageRow): boolean => {
    const { changes } = insertOne.run(...valuesOf([row]))
    if (changes === 0 && find.get(row.detail.at, row.detail.key) === undefined)
      throw droppedRows('sqlite')
    return changes > 0
  }
  /** Whether all were new and are stored; else none is. */
  const areNew = (rows: readonly UsageRow[]): boolean => {
    try {
      const { changes } = insertMany.run(...valuesOf(rows))
      if (changes < rows.length) throw droppedRows('sqlite')
      return true
    } catch (error) {
      if (codeOf(error).startsWith('SQLITE_CONSTRAINT')) return false
      throw error
    }
  }
  return {
    makeRoom: async () => undefined,
    distrust: () => undefined,
    async insert(rows, meanwhile) {
      meanwhile?.()
      const stored: UsageRow[] = []
      for (let start = 0; start < rows.length; start += AT_ONCE) {
        const part = rows.slice(start, start + AT_ONCE)
        stored.push(...(part.length === AT_ONCE && areNew(part) ? part : part.filter(isNew)))
      }
      return stored
    },
    async put(buckets, onConflict) {
      const { one, many } = upserts[onConflict]
      for (let start = 0; start < buckets.length; ) {
        const { statement, values, length } = buckets.length - start < AT_ONCE ? one : many
        for (let index = 0; index < length; index += 1)
          setValues(values, index * VALUES, buckets[start + index] as Bucket)
        const { changes } = statement.run(...values)
        if (changes < length) throw droppedRows('sqlite')
        start += length
      }
    },
  }
}

/** Rows or buckets of one statement: each costs least with about this many. */
const AT_ONCE = 16

const COLUMNS = `at_ms, key, account_id, api_name_id, model_id, tokens, failed, upstream_id, provider_id,
  ${statedColumns.join(', ')}`

function insertSql(verb: string, length: number): string {
  const values = `(${COLUMNS.replaceAll(/\w+/g, '?')})`
  return `${verb} INTO usage (${COLUMNS}) VALUES ${Array(length).fill(values).join(', ')}`
}

function valuesOf(rows: readonly UsageRow[]): readonly unknown[] {
  const values: unknown[] = []
  for (const { detail, members } of rows)
    values.push(
      detail.at,
      detail.key,
      members.account,
      members.api,
      members.model,
      detail.tokens,
      detail.failed ? 1 : 0,
      members.upstream,
      detail.provider == null ? null : members.provider,
      ...statedValues(detail),
    )
  return values
}

const PLACES = ['grouping', 'tier_seconds', 'bucket_s', 'member_id']
/** Values of a bucket: its place, then the measures in the order of `measureColumns`. */
const VALUES = PLACES.length + measureColumns.length

function setValues(values: number[], start: number, { place, sum }: Bucket): void {
  values[start] = place.grouping
  values[start + 1] = place.tierSeconds
  values[start + 2] = place.bucketS
  values[start + 3] = place.memberId
  setMeasures(values, start + PLACES.length, sum)
}

function upsertsOf(db: Database, onConflict: keyof typeof ON_CONFLICT) {
  /** A statement for so many buckets, and one list for the values of every run. */
  const upsert = (length: number) => ({
    statement: db.prepare(upsertSql(onConflict, length)),
    values: Array<number>(length * VALUES).fill(0),
    length,
  })
  return { one: upsert(1), many: upsert(AT_ONCE) }
}

/** Rules for an existing bucket: add both sums, or keep the larger. Tokens never exceed the largest exact number. */
const ON_CONFLICT = {
  add: (column: string) =>
    column.startsWith('tokens')
      ? `min(${column} + excluded.${column}, ${Number.MAX_SAFE_INTEGER})`
      : `${column} + excluded.${column}`,
  larger: (column: string) => `max(${column}, excluded.${column})`,
} as const

function upsertSql(onConflict: keyof typeof ON_CONFLICT, length: number): string {
  const columns = [...PLACES, ...measureColumns].join(', ')
  const values = `(${Array(VALUES).fill('?').join(', ')})`
  const updates = measureColumns.map((column) => `${column} = ${ON_CONFLICT[onConflict](column)}`)
  return `INSERT INTO rollups (${columns}) VALUES ${Array(length).fill(values).join(', ')}
     ON CONFLICT DO UPDATE SET ${updates.join(', ')}`
}
