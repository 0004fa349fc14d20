import { type Column, type SQL, sql } from 'drizzle-orm'
import {
  bigint as bigintColumn,
  boolean,
  doublePrecision,
  integer,
  pgSchema,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
} from 'drizzle-orm/pg-core'

// The tables of a database, as the migrations make them. Drizzle has no words for the partitions of `usage` by day, nor for the space that pages of sums leave free.

export const schema = pgSchema('svc_quota_monitor')
const bigint = (name: string) => bigintColumn(name, { mode: 'number' })

const named = <Name extends string>(name: Name) =>
  schema.table(name, { id: integer('id').primaryKey(), name: text('name').notNull().unique() })
const fewNamed = <Name extends string>(name: Name) =>
  schema.table(name, { id: smallint('id').primaryKey(), name: text('name').notNull().unique() })

export const meta = schema.table('meta', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
})

export const upstreams = fewNamed('upstreams')
export const providers = fewNamed('providers')
export const apiNames = named('api_names')
export const models = named('models')

export const accounts = schema.table(
  'accounts',
  {
    id: integer('id').primaryKey(),
    instance: text('instance').notNull(),
    key: text('key').notNull(),
    title: text('title').notNull(),
  },
  (table) => [unique('accounts_instance_key_key').on(table.instance, table.key)],
)

export const usage = schema.table(
  'usage',
  {
    atMs: bigint('at_ms').notNull(),
    key: bigint('key').notNull(),
    accountId: integer('account_id').notNull(),
    apiNameId: integer('api_name_id').notNull(),
    modelId: integer('model_id').notNull(),
    upstreamId: smallint('upstream_id').notNull(),
    providerId: smallint('provider_id'),
    failed: boolean('failed').notNull(),
    tokens: bigint('tokens').notNull(),
    tokensIn: bigint('tokens_in'),
    tokensCached: bigint('tokens_cached'),
    tokensWritten: bigint('tokens_written'),
    tokensOut: bigint('tokens_out'),
    latencyMs: integer('latency_ms'),
    firstTokenMs: integer('first_token_ms'),
    failure: smallint('failure'),
    tier: smallint('tier'),
  },
  (table) => [primaryKey({ columns: [table.atMs, table.key] })],
)

export const cells = schema.table(
  'cells',
  {
    id: integer('id').primaryKey(),
    kind: smallint('kind').notNull(),
    memberId: integer('member_id').notNull(),
    modelId: integer('model_id').notNull(),
    upstreamId: smallint('upstream_id').notNull(),
    providerId: smallint('provider_id').notNull(),
    tier: smallint('tier').notNull(),
    band: smallint('band').notNull(),
  },
  (table) => [
    unique('cells_key').on(
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

export const causes = schema.table(
  'causes',
  {
    id: integer('id').primaryKey(),
    providerId: smallint('provider_id').notNull(),
    status: smallint('status').notNull(),
    code: text('code').notNull(),
  },
  (table) => [unique('causes_key').on(table.providerId, table.status, table.code)],
)

export const failureCauses = schema.table(
  'failure_causes',
  {
    day: integer('day').notNull(),
    providerId: smallint('provider_id').notNull(),
    upstreamId: smallint('upstream_id').notNull(),
    accountId: integer('account_id').notNull(),
    causeId: integer('cause_id').notNull(),
    requests: bigint('requests').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.day, table.providerId, table.upstreamId, table.accountId, table.causeId],
    }),
  ],
)

export const priceSources = schema.table('price_sources', {
  id: integer('id').primaryKey(),
  kind: text('kind').notNull(),
  sha256: text('sha256').notNull(),
  readAtMs: bigint('read_at_ms').notNull(),
})

export const prices = schema.table(
  'prices',
  {
    modelId: integer('model_id').notNull(),
    tier: smallint('tier').notNull(),
    band: smallint('band').notNull(),
    fromDay: integer('from_day').notNull(),
    rateIn: bigint('rate_in'),
    rateRead: bigint('rate_read'),
    rateWrite: bigint('rate_write'),
    rateOut: bigint('rate_out'),
    sourceId: integer('source_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.modelId, table.tier, table.band, table.fromDay] })],
)

const rollup = (seconds: number) =>
  schema.table(
    `rollup_${seconds}`,
    {
      grouping: smallint('grouping').notNull(),
      bucketS: bigint('bucket_s').notNull(),
      memberId: integer('member_id').notNull(),
      requests: bigint('requests').notNull(),
      tokens: bigint('tokens').notNull(),
      failed: bigint('failed').notNull(),
      tokensIn: bigint('tokens_in').notNull(),
      tokensCached: bigint('tokens_cached').notNull(),
      tokensWritten: bigint('tokens_written').notNull(),
      tokensOut: bigint('tokens_out').notNull(),
      failedAuth: bigint('failed_auth').notNull().default(0),
      failedLimit: bigint('failed_limit').notNull().default(0),
      failedVendor: bigint('failed_vendor').notNull().default(0),
      failedOther: bigint('failed_other').notNull().default(0),
    },
    (table) => [primaryKey({ columns: [table.grouping, table.bucketS, table.memberId] })],
  )
export const rollup60 = rollup(60)
export const rollup900 = rollup(900)
export const rollup7200 = rollup(7_200)
export const rollup86400 = rollup(86_400)

export const quotaSamples = schema.table(
  'quota_samples',
  {
    accountId: integer('account_id').notNull(),
    windowId: text('window_id').notNull(),
    atMs: bigint('at_ms').notNull(),
    percent: doublePrecision('percent').notNull(),
    resetAtMs: bigint('reset_at_ms'),
    origin: text('origin'),
    sampledAtMs: bigint('sampled_at_ms'),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.windowId, table.atMs] })],
)

export const capacityPoints = schema.table(
  'capacity_points',
  {
    windowId: text('window_id').notNull(),
    atMs: bigint('at_ms').notNull(),
    knownUnits: doublePrecision('known_units').notNull(),
    trackedUnits: doublePrecision('tracked_units').notNull(),
    unknownUnits: doublePrecision('unknown_units').notNull(),
    burnedUnits: doublePrecision('burned_units').notNull(),
    usableUnits: doublePrecision('usable_units'),
  },
  (table) => [primaryKey({ columns: [table.windowId, table.atMs] })],
)

export const recentChanges = schema.table('recent_changes', {
  id: bigint('id').primaryKey(),
  atMs: bigint('at_ms').notNull(),
  tone: text('tone').notNull(),
  detail: text('detail').notNull(),
})

export const gaps = schema.table(
  'gaps',
  {
    upstreamId: smallint('upstream_id').notNull(),
    fromMs: bigint('from_ms').notNull(),
    toMs: bigint('to_ms').notNull(),
    reason: text('reason').notNull(),
  },
  (table) => [primaryKey({ columns: [table.upstreamId, table.fromMs, table.toMs, table.reason] })],
)

export const quarantine = schema.table('quarantine', {
  id: bigint('id').primaryKey(),
  atMs: bigint('at_ms').notNull(),
  reason: text('reason').notNull(),
  shape: text('shape').notNull(),
  upstreamId: smallint('upstream_id').notNull(),
})

export const feeds = schema.table('feeds', {
  upstreamId: smallint('upstream_id').primaryKey(),
  lastPollMs: bigint('last_poll_ms'),
  popMarkMs: bigint('pop_mark_ms'),
  treeRequests: bigint('tree_requests'),
})

export const leases = schema.table('leases', {
  name: text('name').primaryKey(),
  holder: text('holder').notNull(),
  term: bigint('term').notNull(),
  expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
})

export const askedAccounts = schema.table(
  'asked_accounts',
  {
    upstream: text('upstream').notNull(),
    file: text('file').notNull(),
    atMs: bigint('at_ms').notNull(),
    value: text('value').notNull(),
  },
  (table) => [primaryKey({ columns: [table.upstream, table.file] })],
)

const SUMS = { 60: rollup60, 900: rollup900, 7200: rollup7200, 86400: rollup86400 } as const

/** Table with the sums of a tier, and the condition for its rows. */
export const sumsOfTier = (seconds: number): { sums: ReturnType<typeof rollup>; ofTier: SQL } => ({
  sums: SUMS[seconds as keyof typeof SUMS],
  ofTier: sql`true`,
})

/** Orders texts by bytes, like SQLite. */
export const byBytes = (column: Column): SQL => sql`${column} COLLATE "C"`
