import { DAY_MS, type EpochMs, epochMs } from '@svc/core'
import type { UsageGroup } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import type { MetaValues } from '../contract/store-meta.ts'
import { earliestOf, observedSince, watchedSince } from '../usage/extent.ts'
import {
  GROUPING_OF,
  type MembersById,
  type UsageExtent,
  type UsageQueries,
  type UsageTables,
} from '../usage/stored-usage.ts'
import { DAY_TIER_SECONDS, groupings } from '../usage/tiers.ts'
import { everything, membersOf } from '../usage/usage-members.ts'
import { type Connection, onlyValue, select } from './connection.ts'
import { gapsSince, missedTime } from './gaps.ts'
import { readMeta } from './meta.ts'
import { readRequests } from './request-reader.ts'

/** The usage tables at one moment; call inside a transaction. `own` has the parts that differ by engine. */
export async function usageTables(
  db: Connection,
  labels: ReadonlyMap<string, string>,
  own: UsageQueries & Pick<UsageTables, 'measured'>,
): Promise<UsageTables> {
  const meta = await readMeta(db)
  const clients = { labels, fingerprintKey: meta.text('fingerprint_key') ?? '' }
  return {
    ...own,
    extent: extentOf(db, meta),
    rowsSince: meta.instant('cut_ms'),
    named: async (group) => ({
      grouping: GROUPING_OF[group],
      members: await memberNames(db, group, clients),
    }),
    async requests(query) {
      const from = epochMs(Math.max(query.from, meta.instant('cut_ms') ?? 0))
      return readRequests(db, { ...query, from }, await memberNames(db, 'client', clients))
    },
  }
}

/** Number of days searched first for the oldest and the newest row, because in PostgreSQL each day is a separate table. */
const NEAR_DAYS = 2

/** Extent of usage for one answer; repeated reads are cached. `meta` must be of the same moment. */
function extentOf(db: Connection, meta: MetaValues): UsageExtent {
  const firstPollAt = meta.instant('first_poll_ms')
  let known: EpochMs | null | undefined
  const extent: UsageExtent = {
    async earliest() {
      if (known === undefined) known = await readEarliest(db, meta.instant('cut_ms'))
      return known
    },
    latest: (now) => readLatest(db, now),
    async watch(from) {
      const since = watchedSince(await extent.earliest(), firstPollAt)
      return { since, missed: await gapsSince(db, from) }
    },
    async history(now) {
      const since = observedSince(firstPollAt, now)
      return {
        earliest: await extent.earliest(),
        latest: await readLatest(db, now),
        lastWriteAt: meta.instant('last_write_ms'),
        duplicates: meta.count('duplicate'),
        missing: meta.count('missing'),
        observedSeconds: Math.max(0, (now - since) / 1000),
        gapSeconds: (await missedTime(db, since, now)) / 1000,
      }
    },
  }
  return extent
}

/** Start of the oldest usage. Every row is in its day's sums; rows before the cut are deleted or will be soon. */
async function readEarliest(db: Connection, cut: EpochMs | null): Promise<EpochMs | null> {
  const { usage, sumsOfTier } = db.tables
  const { sums, ofTier } = sumsOfTier(DAY_TIER_SECONDS)
  const dayS = await onlyValue(
    db,
    sql`SELECT min(${sums.bucketS}) AS value FROM ${sums} WHERE ${ofTier} AND ${sums.grouping} = ${groupings.total}`,
  )
  const from = Math.max(cut ?? 0, dayS === null ? 0 : dayS * 1000)
  const oldest = sql`SELECT min(${usage.atMs}) AS value FROM ${usage}`
  const near = sql`${usage.atMs} < ${from + NEAR_DAYS * DAY_MS}`
  const row = (await onlyValue(db, sql`${oldest} WHERE ${near}`)) ?? (await onlyValue(db, oldest))
  return earliestOf(row, dayS)
}

async function readLatest(db: Connection, now: EpochMs): Promise<EpochMs | null> {
  const { usage } = db.tables
  const newest = sql`SELECT max(${usage.atMs}) AS value FROM ${usage} WHERE ${usage.atMs} < ${now}`
  const near = sql`${usage.atMs} >= ${now - NEAR_DAYS * DAY_MS}`
  const at = (await onlyValue(db, sql`${newest} AND ${near}`)) ?? (await onlyValue(db, newest))
  return at === null ? null : epochMs(at)
}

const TABLE_OF_GROUP = {
  model: 'models',
  api: 'apiNames',
  client: 'apiNames',
  upstream: 'upstreams',
  provider: 'providers',
} as const satisfies Readonly<Partial<Record<UsageGroup, keyof Connection['tables']>>>

/** Names of a group's members; a client label covers all its API names. */
async function memberNames(
  db: Connection,
  group: UsageGroup,
  clients: { readonly labels: ReadonlyMap<string, string>; readonly fingerprintKey: string },
): Promise<MembersById> {
  if (group === 'total') return everything
  if (group === 'account') {
    const found = await select(db, db.tables.accounts, ['id', 'key', 'title'])
    const rows = found.map(({ id, key, title }) => [id, key, title === '' ? key : title] as const)
    return membersOf(group, rows, clients)
  }
  const found = await select(db, db.tables[TABLE_OF_GROUP[group]], ['id', 'name'])
  return membersOf(
    group,
    found.map(({ id, name }) => [id, name, name] as const),
    clients,
  )
}
