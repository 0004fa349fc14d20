import { type Column, type SQL, sql } from 'drizzle-orm'
import { integer, primaryKey, real, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'

// The tables of a file, as the migrations make them. Drizzle has no words for STRICT and WITHOUT ROWID, which they also have.

const named = <Name extends string>(name: Name) =>
  sqliteTable(name, { id: integer('id').primaryKey(), name: text('name').notNull().unique() })

export const meta = sqliteTable('meta', {
  name: text('name').primaryKey().notNull(),
  value: text('value').notNull(),
})

export const upstreams = named('upstreams')
export const providers = named('providers')
export const apiNames = named('api_names')
export const models = named('models')

export const accounts = sqliteTable(
  'accounts',
  {
    id: integer('id').primaryKey(),
    instance: text('instance').notNull(),
    key: text('key').notNull(),
    title: text('title').notNull(),
  },
  (table) => [unique().on(table.instance, table.key)],
)

export const usage = sqliteTable(
  'usage',
  {
    atMs: integer('at_ms').notNull(),
    key: integer('key').notNull(),
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    apiNameId: integer('api_name_id')
      .notNull()
      .references(() => apiNames.id),
    modelId: integer('model_id')
      .notNull()
      .references(() => models.id),
    tokens: integer('tokens').notNull(),
    failed: integer('failed').notNull(),
    upstreamId: integer('upstream_id').notNull().default(1),
    providerId: integer('provider_id'),
    tokensIn: integer('tokens_in'),
    tokensCached: integer('tokens_cached'),
    tokensWritten: integer('tokens_written'),
    tokensOut: integer('tokens_out'),
    latencyMs: integer('latency_ms'),
    firstTokenMs: integer('first_token_ms'),
    failure: integer('failure'),
    tier: integer('tier'),
  },
  (table) => [primaryKey({ columns: [table.atMs, table.key] })],
)

/** Members of the pair groupings: \`kind\` is the grouping, \`member_id\` the account or API name, \`tier\` and \`band\` are of \`core/usage/rate\`. */
export const cells = sqliteTable(
  'cells',
  {
    id: integer('id').primaryKey(),
    kind: integer('kind').notNull(),
    memberId: integer('member_id').notNull(),
    modelId: integer('model_id').notNull(),
    upstreamId: integer('upstream_id').notNull(),
    providerId: integer('provider_id').notNull(),
    tier: integer('tier').notNull(),
    band: integer('band').notNull(),
  },
  (table) => [
    unique().on(
      table.kind,
      table.memberId,
      table.modelId,
      table.upstreamId,
      table.providerId,
      table.tier,
      table.band,
    ),
  ],
)

export const causes = sqliteTable(
  'causes',
  {
    id: integer('id').primaryKey(),
    providerId: integer('provider_id').notNull(),
    status: integer('status').notNull(),
    code: text('code').notNull(),
  },
  (table) => [unique().on(table.providerId, table.status, table.code)],
)

/** Failed requests by cause; \`day\` counts UTC days from 1970. */
export const failureCauses = sqliteTable(
  'failure_causes',
  {
    day: integer('day').notNull(),
    providerId: integer('provider_id').notNull(),
    upstreamId: integer('upstream_id').notNull(),
    accountId: integer('account_id').notNull(),
    causeId: integer('cause_id').notNull(),
    requests: integer('requests').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.day, table.providerId, table.upstreamId, table.accountId, table.causeId],
    }),
  ],
)

export const priceSources = sqliteTable('price_sources', {
  id: integer('id').primaryKey(),
  kind: text('kind').notNull(),
  sha256: text('sha256').notNull(),
  readAtMs: integer('read_at_ms').notNull(),
})

/** Rates in whole pico-dollars a token, null where the source states none; \`from_day\` counts UTC days from 1970. */
export const prices = sqliteTable(
  'prices',
  {
    modelId: integer('model_id').notNull(),
    tier: integer('tier').notNull(),
    band: integer('band').notNull(),
    fromDay: integer('from_day').notNull(),
    rateIn: integer('rate_in'),
    rateRead: integer('rate_read'),
    rateWrite: integer('rate_write'),
    rateOut: integer('rate_out'),
    sourceId: integer('source_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.modelId, table.tier, table.band, table.fromDay] })],
)

export const rollups = sqliteTable(
  'rollups',
  {
    grouping: integer('grouping').notNull(),
    tierSeconds: integer('tier_seconds').notNull(),
    bucketS: integer('bucket_s').notNull(),
    memberId: integer('member_id').notNull(),
    requests: integer('requests').notNull(),
    tokens: integer('tokens').notNull(),
    failed: integer('failed').notNull(),
    tokensIn: integer('tokens_in').notNull().default(0),
    tokensCached: integer('tokens_cached').notNull().default(0),
    tokensWritten: integer('tokens_written').notNull().default(0),
    tokensOut: integer('tokens_out').notNull().default(0),
    failedAuth: integer('failed_auth').notNull().default(0),
    failedLimit: integer('failed_limit').notNull().default(0),
    failedVendor: integer('failed_vendor').notNull().default(0),
    failedOther: integer('failed_other').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.grouping, table.tierSeconds, table.bucketS, table.memberId] }),
  ],
)

export const quotaSamples = sqliteTable(
  'quota_samples',
  {
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    windowId: text('window_id').notNull(),
    atMs: integer('at_ms').notNull(),
    percent: real('percent').notNull(),
    resetAtMs: integer('reset_at_ms'),
    origin: text('origin'),
    sampledAtMs: integer('sampled_at_ms'),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.windowId, table.atMs] })],
)

export const capacityPoints = sqliteTable(
  'capacity_points',
  {
    windowId: text('window_id').notNull(),
    atMs: integer('at_ms').notNull(),
    knownUnits: real('known_units').notNull(),
    trackedUnits: real('tracked_units').notNull(),
    unknownUnits: real('unknown_units').notNull(),
    burnedUnits: real('burned_units').notNull(),
    usableUnits: real('usable_units'),
  },
  (table) => [primaryKey({ columns: [table.windowId, table.atMs] })],
)

export const recentChanges = sqliteTable('recent_changes', {
  id: integer('id').primaryKey(),
  atMs: integer('at_ms').notNull(),
  tone: text('tone').notNull(),
  detail: text('detail').notNull(),
})

export const gaps = sqliteTable(
  'gaps',
  {
    upstreamId: integer('upstream_id')
      .notNull()
      .references(() => upstreams.id),
    fromMs: integer('from_ms').notNull(),
    toMs: integer('to_ms').notNull(),
    reason: text('reason').notNull(),
  },
  (table) => [primaryKey({ columns: [table.upstreamId, table.fromMs, table.toMs, table.reason] })],
)

export const quarantine = sqliteTable('quarantine', {
  id: integer('id').primaryKey(),
  atMs: integer('at_ms').notNull(),
  reason: text('reason').notNull(),
  shape: text('shape').notNull(),
  upstreamId: integer('upstream_id').notNull().default(1),
})

export const feeds = sqliteTable('feeds', {
  upstreamId: integer('upstream_id')
    .primaryKey()
    .references(() => upstreams.id),
  lastPollMs: integer('last_poll_ms'),
  popMarkMs: integer('pop_mark_ms'),
  treeRequests: integer('tree_requests'),
})

export const askedAccounts = sqliteTable(
  'asked_accounts',
  {
    upstream: text('upstream').notNull(),
    file: text('file').notNull(),
    atMs: integer('at_ms').notNull(),
    value: text('value').notNull(),
  },
  (table) => [primaryKey({ columns: [table.upstream, table.file] })],
)

/** Table with the sums of a tier, and the condition for its rows. */
export const sumsOfTier = (seconds: number): { sums: typeof rollups; ofTier: SQL } => ({
  sums: rollups,
  ofTier: sql`${rollups.tierSeconds} = ${seconds}`,
})

/** Orders texts by bytes. */
export const byBytes = (column: Column): SQL => sql`${column}`
