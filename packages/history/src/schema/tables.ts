import type { Column } from 'drizzle-orm'
import type * as pg from 'drizzle-orm/pg-core'

/** EngineWords of an engine for its tables, typed as those of PostgreSQL: rows of a file have the same types, but for flags, which are 0 and 1 there. */
export interface EngineWords
  extends Pick<typeof pg, 'integer' | 'smallint' | 'text' | 'primaryKey'> {
  readonly table: pg.PgTableFn<string>
  readonly bigint: <Name extends string>(name: Name) => pg.PgBigInt53BuilderInitial<Name>
  readonly flag: typeof pg.boolean
  readonly real: typeof pg.doublePrecision
  readonly unique: (name: string) => pg.UniqueOnConstraintBuilder
  /** A column with a default in files, which got it later. */
  readonly added: <Builder>(column: Builder, value: number) => Builder
  /** A column that refers to another table in files. */
  readonly refers: <Builder>(column: Builder, to: () => Column) => Builder
}

/** Columns of the sums of usage. `tier` tells apart the tiers in one table. */
export function sumColumns<Tier>({ integer, bigint, smallint, added }: EngineWords, tier: Tier) {
  return {
    grouping: smallint('grouping').notNull(),
    ...tier,
    bucketS: bigint('bucket_s').notNull(),
    memberId: integer('member_id').notNull(),
    requests: bigint('requests').notNull(),
    tokens: bigint('tokens').notNull(),
    failed: bigint('failed').notNull(),
    tokensIn: added(bigint('tokens_in').notNull(), 0),
    tokensCached: added(bigint('tokens_cached').notNull(), 0),
    tokensWritten: added(bigint('tokens_written').notNull(), 0),
    tokensOut: added(bigint('tokens_out').notNull(), 0),
    failedAuth: bigint('failed_auth').notNull().default(0),
    failedLimit: bigint('failed_limit').notNull().default(0),
    failedVendor: bigint('failed_vendor').notNull().default(0),
    failedOther: bigint('failed_other').notNull().default(0),
  }
}

/** The tables that every engine has. */
export function tablesIn({
  table,
  bigint,
  integer,
  smallint,
  text,
  flag,
  real,
  primaryKey,
  unique,
  added,
  refers,
}: EngineWords) {
  const named = <Name extends string>(name: Name) =>
    table(name, { id: integer('id').primaryKey(), name: text('name').notNull().unique() })
  const fewNamed = <Name extends string>(name: Name) =>
    table(name, { id: smallint('id').primaryKey(), name: text('name').notNull().unique() })
  const upstreams = fewNamed('upstreams')
  const apiNames = named('api_names')
  const models = named('models')
  const accounts = table(
    'accounts',
    {
      id: integer('id').primaryKey(),
      instance: text('instance').notNull(),
      key: text('key').notNull(),
      title: text('title').notNull(),
    },
    ({ instance, key }) => [unique('accounts_instance_key_key').on(instance, key)],
  )

  return {
    meta: table('meta', {
      name: text('name').primaryKey().notNull(),
      value: text('value').notNull(),
    }),
    upstreams,
    providers: fewNamed('providers'),
    apiNames,
    models,
    accounts,
    usage: table(
      'usage',
      {
        atMs: bigint('at_ms').notNull(),
        key: bigint('key').notNull(),
        accountId: refers(integer('account_id').notNull(), () => accounts.id),
        apiNameId: refers(integer('api_name_id').notNull(), () => apiNames.id),
        modelId: refers(integer('model_id').notNull(), () => models.id),
        tokens: bigint('tokens').notNull(),
        failed: flag('failed').notNull(),
        upstreamId: added(smallint('upstream_id').notNull(), 1),
        providerId: smallint('provider_id'),
        tokensIn: bigint('tokens_in'),
        tokensCached: bigint('tokens_cached'),
        tokensWritten: bigint('tokens_written'),
        tokensOut: bigint('tokens_out'),
        latencyMs: integer('latency_ms'),
        firstTokenMs: integer('first_token_ms'),
        failure: smallint('failure'),
        tier: smallint('tier'),
      },
      ({ atMs, key }) => [primaryKey({ columns: [atMs, key] })],
    ),
    /** Members of the pair groupings: `kind` is the grouping, `member_id` the account or API name, `tier` and `band` are of `core/usage/rate`. */
    cells: table(
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
      ({ kind, memberId, modelId, upstreamId, providerId, tier, band }) => [
        unique('cells_key').on(kind, memberId, modelId, upstreamId, providerId, tier, band),
      ],
    ),
    causes: table(
      'causes',
      {
        id: integer('id').primaryKey(),
        providerId: smallint('provider_id').notNull(),
        status: smallint('status').notNull(),
        code: text('code').notNull(),
      },
      ({ providerId, status, code }) => [unique('causes_key').on(providerId, status, code)],
    ),
    /** Failed requests by cause; `day` counts UTC days from 1970. */
    failureCauses: table(
      'failure_causes',
      {
        day: integer('day').notNull(),
        providerId: smallint('provider_id').notNull(),
        upstreamId: smallint('upstream_id').notNull(),
        accountId: integer('account_id').notNull(),
        causeId: integer('cause_id').notNull(),
        requests: bigint('requests').notNull(),
      },
      ({ day, providerId, upstreamId, accountId, causeId }) => [
        primaryKey({ columns: [day, providerId, upstreamId, accountId, causeId] }),
      ],
    ),
    priceSources: table('price_sources', {
      id: integer('id').primaryKey(),
      kind: text('kind').notNull(),
      sha256: text('sha256').notNull(),
      readAtMs: bigint('read_at_ms').notNull(),
    }),
    /** Rates in whole pico-dollars a token, null where the source states none; `from_day` counts UTC days from 1970. */
    prices: table(
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
      ({ modelId, tier, band, fromDay }) => [
        primaryKey({ columns: [modelId, tier, band, fromDay] }),
      ],
    ),
    quotaSamples: table(
      'quota_samples',
      {
        accountId: refers(integer('account_id').notNull(), () => accounts.id),
        windowId: text('window_id').notNull(),
        atMs: bigint('at_ms').notNull(),
        percent: real('percent').notNull(),
        resetAtMs: bigint('reset_at_ms'),
        origin: text('origin'),
        sampledAtMs: bigint('sampled_at_ms'),
      },
      ({ accountId, windowId, atMs }) => [primaryKey({ columns: [accountId, windowId, atMs] })],
    ),
    capacityPoints: table(
      'capacity_points',
      {
        windowId: text('window_id').notNull(),
        atMs: bigint('at_ms').notNull(),
        knownUnits: real('known_units').notNull(),
        trackedUnits: real('tracked_units').notNull(),
        unknownUnits: real('unknown_units').notNull(),
        burnedUnits: real('burned_units').notNull(),
        usableUnits: real('usable_units'),
      },
      ({ windowId, atMs }) => [primaryKey({ columns: [windowId, atMs] })],
    ),
    recentChanges: table('recent_changes', {
      id: bigint('id').primaryKey(),
      atMs: bigint('at_ms').notNull(),
      tone: text('tone').notNull(),
      detail: text('detail').notNull(),
    }),
    gaps: table(
      'gaps',
      {
        upstreamId: refers(smallint('upstream_id').notNull(), () => upstreams.id),
        fromMs: bigint('from_ms').notNull(),
        toMs: bigint('to_ms').notNull(),
        reason: text('reason').notNull(),
      },
      ({ upstreamId, fromMs, toMs, reason }) => [
        primaryKey({ columns: [upstreamId, fromMs, toMs, reason] }),
      ],
    ),
    quarantine: table('quarantine', {
      id: bigint('id').primaryKey(),
      atMs: bigint('at_ms').notNull(),
      reason: text('reason').notNull(),
      shape: text('shape').notNull(),
      upstreamId: added(smallint('upstream_id').notNull(), 1),
    }),
    feeds: table('feeds', {
      upstreamId: refers(smallint('upstream_id').primaryKey(), () => upstreams.id),
      lastPollMs: bigint('last_poll_ms'),
      popMarkMs: bigint('pop_mark_ms'),
      treeRequests: bigint('tree_requests'),
    }),
    /** Last query of each file's account. */
    askedAccounts: table(
      'asked_accounts',
      {
        upstream: text('upstream').notNull(),
        file: text('file').notNull(),
        atMs: bigint('at_ms').notNull(),
        value: text('value').notNull(),
      },
      ({ upstream, file }) => [primaryKey({ columns: [upstream, file] })],
    ),
  }
}
