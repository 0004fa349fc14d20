import { type EpochMs, epochMs } from '@svc/core'
import { createRollupSums, type RollupSums } from '../../sqlite/rollups.ts'
import type { Database } from '../../sqlite/sqlite.ts'
import { PROVIDER_COLUMN } from '../../sqlite/usage-query.ts'
import { DAY_TIER_SECONDS, groupings } from '../../usage/tiers.ts'

const DAY_MS = DAY_TIER_SECONDS * 1000

/** The sums of the days that an import adds rows to. Call inside a transaction. */
export interface ImportDays {
  /** A row of this time is about to be added. */
  begin(at: number): void
  /** The row was not there before. */
  added(...row: Parameters<RollupSums['add']>): void
  /** The transaction is about to end; the day may go on in the next. */
  finish(): void
  /** No more rows of this day come. */
  end(): void
}

/**
 * Keeps sums in step with rows that come day by day. Where a day's sums are what its rows add up to, each new row is added to them. Where they are more,
 * rows have been forgotten, and a new one may be one of those: then the sums become the larger of themselves and of what the rows add up to now. So the
 * outcome depends neither on the order of imports nor on their number.
 */
export function createDays(db: Database, certainAt: EpochMs): ImportDays {
  const added = createRollupSums(db, 'add')
  const recounted = createRollupSums(db, 'larger')
  const rowsOfDay = db
    .prepare(
      `SELECT at_ms, tokens, failed, account_id, model_id, api_name_id, upstream_id, ${PROVIDER_COLUMN},
         tokens_in, tokens_cached, tokens_written, tokens_out FROM usage WHERE at_ms >= ? AND at_ms < ?`,
    )
    .raw()
  const countOfDay = db
    .prepare(
      `SELECT count(*), total(tokens), total(failed), total(tokens_in), total(tokens_cached), total(tokens_written), total(tokens_out)
       FROM usage WHERE at_ms >= ? AND at_ms < ?`,
    )
    .raw()
  const sumsOfDay = db
    .prepare(
      `SELECT total(requests), total(tokens), total(failed), total(tokens_in), total(tokens_cached), total(tokens_written), total(tokens_out) FROM rollups
       WHERE grouping IN (${Object.values(groupings).join(', ')}) AND tier_seconds = ${DAY_TIER_SECONDS} AND bucket_s = ? GROUP BY grouping`,
    )
    .raw()
  /** By every grouping, for no member's sum is ever less than what its rows add up to. */
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
  ...classes: readonly (number | null)[],
]

function requestOf(row: RowOfDay): Parameters<RollupSums['add']> {
  const [at, tokens, failed, account, model, api, upstream, provider, ...known] = row
  const [tokensIn, tokensCached, tokensWritten, tokensOut] = known.map((part) => part ?? 0)
  return [
    {
      at: epochMs(at),
      tokens,
      failed: failed === 1,
      classes: {
        tokensIn: tokensIn ?? 0,
        tokensCached: tokensCached ?? 0,
        tokensWritten: tokensWritten ?? 0,
        tokensOut: tokensOut ?? 0,
      },
    },
    { account, model, api, upstream, provider },
  ]
}
