import type { Database } from '@svc/sqlite'
import { droppedRows } from '../contract/history-error.ts'
import type { RowWriter } from '../sql/engine.ts'
import { measureColumns, measureNames, statedColumns, statedValues } from '../usage/measures.ts'

/** Row writer of an open file, with one prepared statement per row. */
export function createRowWriter(db: Database): RowWriter {
  const columns = `at_ms, key, account_id, api_name_id, model_id, tokens, failed, upstream_id, provider_id,
    ${statedColumns.join(', ')}`
  const insert = db.prepare(
    `INSERT OR IGNORE INTO usage (${columns}) VALUES (${columns.replaceAll(/\w+/g, '?')})`,
  )
  const find = db.prepare('SELECT 1 FROM usage WHERE at_ms = ? AND key = ?').pluck()
  const upserts = { add: db.prepare(upsertSql('add')), larger: db.prepare(upsertSql('larger')) }
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
      for (const { place, sum } of buckets) {
        const { changes } = upserts[onConflict].run(
          place.grouping,
          place.tierSeconds,
          place.bucketS,
          place.memberId,
          ...measureNames.map((name) => sum[name]),
        )
        if (changes === 0) throw droppedRows('sqlite')
      }
    },
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
function upsertSql(onConflict: keyof typeof ON_CONFLICT): string {
  const updates = measureColumns.map((column) => `${column} = ${ON_CONFLICT[onConflict](column)}`)
  return `INSERT INTO rollups (grouping, tier_seconds, bucket_s, member_id, ${measureColumns.join(', ')}) VALUES (?, ?, ?, ?${', ?'.repeat(measureColumns.length)})
     ON CONFLICT DO UPDATE SET ${updates.join(', ')}`
}
