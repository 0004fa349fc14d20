import { type Column, type SQL, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { type EngineWords, sumColumns, tablesIn } from './tables.ts'

// The tables of a database, as the migrations make them. Drizzle has no words for the partitions of `usage` by day, nor for the space that pages of sums leave free.

export const schema = pg.pgSchema('svc_quota_monitor')
const { integer, smallint, text, primaryKey, unique } = pg
const words: EngineWords = {
  ...{ integer, smallint, text, primaryKey, unique },
  table: schema.table,
  bigint: (name) => pg.bigint(name, { mode: 'number' }),
  flag: pg.boolean,
  real: pg.doublePrecision,
  added: (column) => column,
  refers: (column) => column,
}

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

const rollup = (seconds: number) =>
  schema.table(`rollup_${seconds}`, sumColumns(words, {}), ({ grouping, bucketS, memberId }) => [
    primaryKey({ columns: [grouping, bucketS, memberId] }),
  ])
export const rollup60 = rollup(60)
export const rollup900 = rollup(900)
export const rollup7200 = rollup(7_200)
export const rollup86400 = rollup(86_400)

export const leases = schema.table('leases', {
  name: text('name').primaryKey(),
  holder: text('holder').notNull(),
  term: words.bigint('term').notNull(),
  expiresAt: pg.timestamp('expires_at', { withTimezone: true }).notNull(),
})

const SUMS = { 60: rollup60, 900: rollup900, 7200: rollup7200, 86400: rollup86400 } as const

/** Table with the sums of a tier, and the condition for its rows. */
export const sumsOfTier = (seconds: number): { sums: typeof rollup60; ofTier: SQL } => ({
  sums: SUMS[seconds as keyof typeof SUMS],
  ofTier: sql`true`,
})

/** Before the names of tables. */
export const schemaPrefix = 'svc_quota_monitor.'

/** Orders texts by bytes, like SQLite. */
export const byBytes = (column: Column): SQL => sql`${column} COLLATE "C"`
