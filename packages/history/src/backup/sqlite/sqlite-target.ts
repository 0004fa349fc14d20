import { DAY_MS, epochMs } from '@svc/core'
import type { Database } from '@svc/sqlite'
import { createDictionaries } from '../../sql/dictionary.ts'
import { bucketsOf } from '../../sql/usage-rows.ts'
import { connectionTo } from '../../sqlite/connection.ts'
import { openForWriting } from '../../sqlite/open-database.ts'
import { lockStore } from '../../sqlite/store-lock.ts'
import { PROVIDER_COLUMN } from '../../sqlite/usage-query.ts'
import { createRowWriter } from '../../sqlite/usage-rows.ts'
import { type BucketSums, createBucketSums } from '../../usage/bucket-sums.ts'
import { measureColumns, measuresOfRow, statedColumns, statedOf } from '../../usage/measures.ts'
import { rateColumns } from '../../usage/rates.ts'
import { allGroupings, DAY_TIER_SECONDS } from '../../usage/tiers.ts'
import type { WithImportTarget } from '../format/import-target.ts'
import { createImportTarget, type ImportEngine } from '../target/import-target.ts'
import { BACKUP_PAGE_CACHE } from './sqlite-source.ts'

/** The target for a file, created if missing. Throws HistoryError: `locked` while a service holds it. */
export function sqliteTarget(path: string): WithImportTarget {
  return async (origin, write) => {
    const lock = lockStore(path)
    try {
      const db = openForWriting(lock.path)
      try {
        db.pragma(BACKUP_PAGE_CACHE)
        return await write(await createImportTarget(importInto(db), origin))
      } finally {
        if (db.inTransaction) db.exec('ROLLBACK')
        db.pragma('wal_checkpoint(TRUNCATE)')
        db.close()
      }
    } finally {
      lock.release()
    }
  }
}

const RATES = rateColumns('cells', PROVIDER_COLUMN)

/** Import engine of an open file. */
export function importInto(db: Database): ImportEngine {
  const connection = connectionTo(db)
  const rows = createRowWriter(db)
  const totals = (values: readonly string[]) => values.map((value) => `total(${value})`).join(', ')
  const countOfDay = db
    .prepare(`SELECT ${totals(measuresOfRow)} FROM usage WHERE at_ms >= ? AND at_ms < ?`)
    .raw()
  const sumsOfDay = db
    .prepare(
      `SELECT ${totals(measureColumns)} FROM rollups
       WHERE grouping IN (${Object.values(allGroupings).join(', ')}) AND tier_seconds = ${DAY_TIER_SECONDS} AND bucket_s = ? GROUP BY grouping`,
    )
    .raw()
  const rowsOfDay = db
    .prepare(
      `SELECT at_ms, tokens, failed, account_id, model_id, api_name_id, upstream_id, ${PROVIDER_COLUMN},
         ${RATES.account_rate}, ${RATES.client_rate}, ${RATES.total_rate}, ${statedColumns.join(', ')} FROM usage WHERE at_ms >= ? AND at_ms < ?`,
    )
    .raw()
  return {
    db: connection,
    rows,
    // There is no other writer.
    lockCut: async () => undefined,
    rowsPerTransaction: 1_000,
    dictionariesOf: (instance) => createDictionaries(connection, instance),
    async isDayExact(startMs) {
      const counts = countOfDay.get(startMs, startMs + DAY_MS) as readonly number[]
      const sums = sumsOfDay.all(startMs / 1000) as readonly (readonly number[])[]
      if (counts[0] === 0) return sums.length === 0
      return (
        sums.length === Object.keys(allGroupings).length &&
        sums.every((sum) => sum.every((measure, index) => measure === counts[index]))
      )
    },
    async recountDay(startMs, certainAt) {
      const sums = createBucketSums()
      for (const row of rowsOfDay.iterate(startMs, startMs + DAY_MS) as IterableIterator<RowOfDay>)
        sums.add(...requestOf(row))
      await rows.put(bucketsOf(sums, certainAt), 'larger')
    },
  }
}

type RowOfDay = readonly [
  at: number,
  tokens: number,
  failed: number,
  account: number,
  model: number,
  api: number,
  upstream: number,
  provider: number,
  account_rate: number,
  client_rate: number,
  total_rate: number,
  ...stated: readonly (number | null)[],
]

function requestOf(row: RowOfDay): Parameters<BucketSums['add']> {
  const [
    at,
    tokens,
    failed,
    account,
    model,
    api,
    upstream,
    provider,
    account_rate,
    client_rate,
    total_rate,
    ...stated
  ] = row
  return [
    { at: epochMs(at), tokens, failed: failed === 1, ...statedOf(stated) },
    { account, model, api, upstream, provider, account_rate, client_rate, total_rate },
  ]
}
