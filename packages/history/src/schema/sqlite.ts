import { type Column, type SQL, sql } from 'drizzle-orm'
import * as sqlite from 'drizzle-orm/sqlite-core'
import { type EngineWords, sumColumns, tablesIn } from './tables.ts'

// The tables of a file, as the migrations make them. Drizzle has no words for STRICT and WITHOUT ROWID, which they also have.

const { integer, text, primaryKey, real } = sqlite
const words = {
  ...{ integer, text, primaryKey, real },
  table: sqlite.sqliteTable,
  bigint: integer,
  smallint: integer,
  flag: integer,
  // A constraint of a file has no name.
  unique: () => sqlite.unique(),
  added: (column: ReturnType<typeof integer>, value: number) => column.default(value),
  refers: (column: ReturnType<typeof integer>, to: () => sqlite.AnySQLiteColumn) =>
    column.references(to),
} as unknown as EngineWords

export const {
  meta,
  upstreams,
  providers,
  apiNames,
  models,
  accounts,
  usage,
  cells,
  causes,
  failureCauses,
  priceSources,
  prices,
  quotaSamples,
  capacityPoints,
  recentChanges,
  gaps,
  quarantine,
  feeds,
  askedAccounts,
} = tablesIn(words)

export const rollups = words.table(
  'rollups',
  sumColumns(words, { tierSeconds: words.integer('tier_seconds').notNull() }),
  ({ grouping, tierSeconds, bucketS, memberId }) => [
    words.primaryKey({ columns: [grouping, tierSeconds, bucketS, memberId] }),
  ],
)

/** Table with the sums of a tier, and the condition for its rows. */
export const sumsOfTier = (seconds: number): { sums: typeof rollups; ofTier: SQL } => ({
  sums: rollups,
  ofTier: sql`${rollups.tierSeconds} = ${seconds}`,
})

/** Before the names of tables. */
export const schemaPrefix = ''

/** Orders texts by bytes. */
export const byBytes = (column: Column): SQL => sql`${column}`
