import type { Database } from '@svc/sqlite'
import { droppedRows } from '../contract/history-error.ts'
import type { Bucket, RowWriter } from '../sql/engine.ts'
import { measureColumns, measureNames, statedColumns, statedValues } from '../usage/measures.ts'

/** Row writer of an open file, with one prepared statement per row. */
export function createRowWriter(db: Database): RowWriter {
  const columns = `at_ms, key, account_id, api_name_id, model_id, tokens, failed, upstream_id, provider_id,
    ${statedColumns.join(', ')}`
  const insert = db.prepare(
    `INSERT OR IGNORE INTO usage (${columns}) VALUES (${columns.replaceAll(/\w+/g, '?')})`,
  )
  const find = db.prepare('SELECT 1 FROM usage WHERE at_ms = ? AND key = ?').pluck()
  const upserts = { add: upsertsOf(db, 'add'), larger: upsertsOf(db, 'larger') }
  return {
    makeRoom: async () => undefined,
    distrust: () => undefined,
    async insert(rows) {
      return rows.filter(({ detail, members }) => {
        const { changes } = insert.run(
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
        if (changes === 0 && find.get(detail.at, detail.key) === undefined)
          throw droppedRows('sqlite')
        return changes > 0
      })
    },
    async put(buckets, onConflict) {
      const { one, many } = upserts[onConflict]
      for (let start = 0; start < buckets.length; ) {
        const length = buckets.length - start < BUCKETS_AT_ONCE ? 1 : BUCKETS_AT_ONCE
        const values: number[] = []
        for (let index = start; index < start + length; index += 1)
          addValues(values, buckets[index] as Bucket)
        const { changes } = (length === 1 ? one : many).run(...values)
        if (changes < length) throw droppedRows('sqlite')
        start += length
      }
    },
  }
}

/** Buckets of one statement; the more, the less each costs. */
const BUCKETS_AT_ONCE = 32

function addValues(values: number[], { place, sum }: Bucket): void {
  values.push(place.grouping, place.tierSeconds, place.bucketS, place.memberId)
  for (const name of measureNames) values.push(sum[name])
}

function upsertsOf(db: Database, onConflict: keyof typeof ON_CONFLICT) {
  return {
    one: db.prepare(upsertSql(onConflict, 1)),
    many: db.prepare(upsertSql(onConflict, BUCKETS_AT_ONCE)),
  }
}

/** Rules for an existing bucket: add both sums, or keep the larger. Tokens never exceed the largest exact number. */
const ON_CONFLICT = {
  add: (column: string) =>
    column.startsWith('tokens')
      ? `min(${column} + excluded.${column}, ${Number.MAX_SAFE_INTEGER})`
      : `${column} + excluded.${column}`,
  larger: (column: string) => `max(${column}, excluded.${column})`,
} as const

/** Statement that writes the sum of a bucket: grouping, tier, bucket, member, then the measures in the order of `measureColumns`. */
function upsertSql(onConflict: keyof typeof ON_CONFLICT, length: number): string {
  const values = `(?, ?, ?, ?${', ?'.repeat(measureColumns.length)})`
  const updates = measureColumns.map((column) => `${column} = ${ON_CONFLICT[onConflict](column)}`)
  return `INSERT INTO rollups (grouping, tier_seconds, bucket_s, member_id, ${measureColumns.join(', ')}) VALUES ${Array(length).fill(values).join(', ')}
     ON CONFLICT DO UPDATE SET ${updates.join(', ')}`
}
