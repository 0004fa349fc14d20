import { DAY_MS, type EpochMs, epochMs } from '@svc/core'
import type { Database } from '@svc/sqlite'
import { createRollupSums, type RollupSums } from '../../sqlite/rollups.ts'
import { PROVIDER_COLUMN } from '../../sqlite/usage-query.ts'
import { measureColumns, measuresOfRow, statedColumns, statedOf } from '../../usage/measures.ts'
import { DAY_TIER_SECONDS, groupings } from '../../usage/tiers.ts'

/** Sums of the days an import adds rows to. Call inside a transaction. */
export interface ImportDays {
  /** Called before a row of this time is added. */
  begin(at: number): void
  added(...row: Parameters<RollupSums['add']>): void
  /** Called before the transaction ends; the day may continue in the next. */
  finish(): void
  /** Called after the last row of the day. */
  end(): void
}

/**
 * Keeps sums in step with rows that arrive day by day. If a day's sums equal its rows, each new row is added to them. If they are larger, rows were
 * forgotten and a new one may be among them: the sums then become the larger of themselves and the sums of the present rows. So the result depends
 * neither on order nor on number of imports.
 */
export function createDays(db: Database, certainAt: EpochMs): ImportDays {
  const added = createRollupSums(db, 'add')
  const recounted = createRollupSums(db, 'larger')
  const rowsOfDay = db
    .prepare(
      `SELECT at_ms, tokens, failed, account_id, model_id, api_name_id, upstream_id, ${PROVIDER_COLUMN},
         ${statedColumns.join(', ')} FROM usage WHERE at_ms >= ? AND at_ms < ?`,
    )
    .raw()
  const totals = (values: readonly string[]) => values.map((value) => `total(${value})`).join(', ')
  const countOfDay = db
    .prepare(`SELECT ${totals(measuresOfRow)} FROM usage WHERE at_ms >= ? AND at_ms < ?`)
    .raw()
  const sumsOfDay = db
    .prepare(
      `SELECT ${totals(measureColumns)} FROM rollups
       WHERE grouping IN (${Object.values(groupings).join(', ')}) AND tier_seconds = ${DAY_TIER_SECONDS} AND bucket_s = ? GROUP BY grouping`,
    )
    .raw()
  /** Compares in every grouping, for no member's sum is ever less than that of its rows. */
  const isExact = (startMs: number): boolean => {
    const rows = countOfDay.get(startMs, startMs + DAY_MS) as readonly number[]
    const sums = sumsOfDay.all(startMs / 1000) as readonly (readonly number[])[]
    if (rows[0] === 0) return sums.length === 0
    return (
      sums.length === Object.keys(groupings).length &&
      sums.every((sum) => sum.every((measure, index) => measure === rows[index]))
    )
  }
  let day: { readonly startMs: number; readonly exact: boolean } | null = null

  const end = () => {
    if (day === null) return
    const { startMs, exact } = day
    day = null
    if (exact) return added.write(certainAt)
    for (const row of rowsOfDay.iterate(startMs, startMs + DAY_MS) as IterableIterator<RowOfDay>)
      recounted.add(...requestOf(row))
    recounted.write(certainAt)
  }

  return {
    begin(at) {
      const startMs = Math.floor(at / DAY_MS) * DAY_MS
      if (day?.startMs === startMs) return
      end()
      day = { startMs, exact: isExact(startMs) }
    },
    added(...row) {
      if (day?.exact === true) added.add(...row)
    },
    finish() {
      if (day?.exact === true) added.write(certainAt)
    },
    end,
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
  ...stated: readonly (number | null)[],
]

function requestOf(row: RowOfDay): Parameters<RollupSums['add']> {
  const [at, tokens, failed, account, model, api, upstream, provider, ...stated] = row
  return [
    { at: epochMs(at), tokens, failed: failed === 1, ...statedOf(stated) },
    { account, model, api, upstream, provider },
  ]
}
