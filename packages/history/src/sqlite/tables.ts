import { integer, primaryKey, real, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'

// The tables that the migrations create; a test compares both. Column names contain the units.

/** Counters, positions and keys of the store itself. */
export const meta = sqliteTable('meta', {
  name: text().primaryKey(),
  value: text().notNull(),
})

/** Proxies whose usage is kept, by their names in the configuration. */
export const upstreams = sqliteTable('upstreams', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
})

/** Vendors, as the proxy names them. */
export const providers = sqliteTable('providers', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
})

/** Position and pop mark of each proxy's records. */
export const feeds = sqliteTable('feeds', {
  upstreamId: integer('upstream_id').primaryKey(),
  lastPollMs: integer('last_poll_ms'),
  popMarkMs: integer('pop_mark_ms'),
  treeRequests: integer('tree_requests'),
})

/** Accounts by their stable key; `instance` distinguishes monitors whose backups were put together. */
export const accounts = sqliteTable(
  'accounts',
  {
    id: integer().primaryKey(),
    instance: text().notNull(),
    key: text().notNull(),
    title: text().notNull(),
  },
  (table) => [unique().on(table.instance, table.key)],
)

/** Client keys and endpoints as the proxy names them; the only place where a client key is stored. */
export const apiNames = sqliteTable('api_names', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
})

export const models = sqliteTable('models', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
})

/** One row a request, for `usage_retention_days`. */
export const usage = sqliteTable(
  'usage',
  {
    atMs: integer('at_ms').notNull(),
    key: integer().notNull(),
    accountId: integer('account_id').notNull(),
    apiNameId: integer('api_name_id').notNull(),
    modelId: integer('model_id').notNull(),
    tokens: integer().notNull(),
    failed: integer().notNull(),
    upstreamId: integer('upstream_id').notNull(),
    // Null: not in the record. The classes are all known or all null.
    providerId: integer('provider_id'),
    tokensIn: integer('tokens_in'),
    tokensCached: integer('tokens_cached'),
    tokensWritten: integer('tokens_written'),
    tokensOut: integer('tokens_out'),
    latencyMs: integer('latency_ms'),
    firstTokenMs: integer('first_token_ms'),
  },
  (table) => [primaryKey({ columns: [table.atMs, table.key] })],
)

/** Usage summed up by bucket, once for each way to group it. */
export const rollups = sqliteTable(
  'rollups',
  {
    grouping: integer().notNull(),
    tierSeconds: integer('tier_seconds').notNull(),
    bucketS: integer('bucket_s').notNull(),
    memberId: integer('member_id').notNull(),
    requests: integer().notNull(),
    tokens: integer().notNull(),
    failed: integer().notNull(),
    // Sums over the requests whose classes are known.
    tokensIn: integer('tokens_in').notNull(),
    tokensCached: integer('tokens_cached').notNull(),
    tokensWritten: integer('tokens_written').notNull(),
    tokensOut: integer('tokens_out').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.grouping, table.tierSeconds, table.bucketS, table.memberId] }),
  ],
)

/** Readings of quota windows, stored when they differ from the one before. */
export const quotaSamples = sqliteTable(
  'quota_samples',
  {
    accountId: integer('account_id').notNull(),
    windowId: text('window_id').notNull(),
    atMs: integer('at_ms').notNull(),
    percent: real().notNull(),
    resetAtMs: integer('reset_at_ms'),
    origin: text(),
    sampledAtMs: integer('sampled_at_ms'),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.windowId, table.atMs] })],
)

/** The pool's capacity over time, in Plus units, stored when it differs from the one before. */
export const capacityPoints = sqliteTable(
  'capacity_points',
  {
    windowId: text('window_id').notNull(),
    atMs: integer('at_ms').notNull(),
    knownUnits: real('known_units').notNull(),
    trackedUnits: real('tracked_units').notNull(),
    unknownUnits: real('unknown_units').notNull(),
    burnedUnits: real('burned_units').notNull(),
  },
  (table) => [primaryKey({ columns: [table.windowId, table.atMs] })],
)

/** Changes of the pool, newest last. */
export const recentChanges = sqliteTable('recent_changes', {
  id: integer().primaryKey(),
  atMs: integer('at_ms').notNull(),
  tone: text().notNull(),
  detail: text().notNull(),
})

/** Periods in which requests may have been missed. */
export const gaps = sqliteTable(
  'gaps',
  {
    upstreamId: integer('upstream_id').notNull(),
    fromMs: integer('from_ms').notNull(),
    toMs: integer('to_ms').notNull(),
    reason: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.upstreamId, table.fromMs, table.toMs, table.reason] })],
)

/** Refused records, without their values; only the newest. */
export const quarantine = sqliteTable('quarantine', {
  id: integer().primaryKey(),
  atMs: integer('at_ms').notNull(),
  reason: text().notNull(),
  shape: text().notNull(),
  upstreamId: integer('upstream_id').notNull(),
})
