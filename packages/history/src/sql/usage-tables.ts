import { DAY_MS, type EpochMs, epochMs } from '@svc/core'
import type { UsageGroup } from '@svc/core/usage'
import { type SQL, sql } from 'drizzle-orm'
import type { MetaValues } from '../contract/store-meta.ts'
import { earliestOf, observedSince, watchedSince } from '../usage/extent.ts'
import {
  GROUPING_OF,
  type MembersById,
  type UsageExtent,
  type UsageQueries,
  type UsageTables,
} from '../usage/stored-usage.ts'
import { groupings } from '../usage/tiers.ts'
import { everything, membersOf } from '../usage/usage-members.ts'
import { gapsSince, missedTime } from './gaps.ts'
import { metaSteps } from './meta.ts'
import { readRequests } from './request-reader.ts'
import { mapSteps, rows, type Steps, type StepsOf, value } from './steps.ts'
import { DAY_SUMS } from './store-facts.ts'

/** The tables at one moment: call in a transaction, in which `run` runs steps. `own` has the parts that differ by engine. */
export async function usageTables(
  run: <Result>(steps: Steps<Result>) => Promise<Result>,
  labels: ReadonlyMap<string, string>,
  own: UsageQueries & Pick<UsageTables, 'measured'>,
): Promise<UsageTables> {
  const meta = await run(metaSteps.read())
  const clients = { labels, fingerprintKey: meta.text('fingerprint_key') ?? '' }
  return {
    ...own,
    extent: mapSteps<UsageExtent>(extentSteps(meta), run),
    rowsSince: meta.instant('cut_ms'),
    named: async (group) => ({
      grouping: GROUPING_OF[group],
      members: await run(memberNames(group, clients)),
    }),
    async requests(query) {
      const from = epochMs(Math.max(query.from, meta.instant('cut_ms') ?? 0))
      return run(readRequests({ ...query, from }, await run(memberNames('client', clients))))
    },
  }
}

/** Days that are searched first for the oldest and the newest row, because in PostgreSQL each day is a table of its own. */
const NEAR_DAYS = 2

/** The extent of usage for one answer, with repeated reads cached. `meta` is of the same moment. */
function extentSteps(meta: MetaValues): StepsOf<UsageExtent> {
  const firstPollAt = meta.instant('first_poll_ms')
  let known: EpochMs | null | undefined
  const extent: StepsOf<UsageExtent> = {
    *earliest() {
      if (known === undefined) known = yield* readEarliest(meta.instant('cut_ms'))
      return known
    },
    latest: readLatest,
    *watch(from) {
      const since = watchedSince(yield* extent.earliest(), firstPollAt)
      return { since, missed: yield* gapsSince(from) }
    },
    *history(now) {
      const since = observedSince(firstPollAt, now)
      return {
        earliest: yield* extent.earliest(),
        latest: yield* readLatest(now),
        lastWriteAt: meta.instant('last_write_ms'),
        duplicates: meta.count('duplicate'),
        missing: meta.count('missing'),
        observedSeconds: Math.max(0, (now - since) / 1000),
        gapSeconds: (yield* missedTime(since, now)) / 1000,
      }
    },
  }
  return extent
}

/** Start of the oldest usage. Every row is in its day's sums; rows from before the cut are gone or about to go. */
function* readEarliest(cut: EpochMs | null): Steps<EpochMs | null> {
  const dayS = yield* value(
    sql`SELECT min(bucket_s) AS value FROM ${DAY_SUMS} WHERE grouping = ${groupings.total}`,
  )
  const from = Math.max(cut ?? 0, dayS === null ? 0 : dayS * 1000)
  const oldest = sql`SELECT min(at_ms) AS value FROM svc_quota_monitor.usage`
  const near = sql`at_ms < ${from + NEAR_DAYS * DAY_MS}`
  const row = (yield* value(sql`${oldest} WHERE ${near}`)) ?? (yield* value(oldest))
  return earliestOf(row, dayS)
}

function* readLatest(now: EpochMs): Steps<EpochMs | null> {
  const newest = sql`SELECT max(at_ms) AS value FROM svc_quota_monitor.usage WHERE at_ms < ${now}`
  const near = sql`at_ms >= ${now - NEAR_DAYS * DAY_MS}`
  const at = (yield* value(sql`${newest} AND ${near}`)) ?? (yield* value(newest))
  return at === null ? null : epochMs(at)
}

/** Queries for the names of a group's members: number, key, label. */
const NAMES = {
  account: sql`SELECT id, key, CASE title WHEN '' THEN key ELSE title END AS label FROM svc_quota_monitor.accounts`,
  model: allOf('models'),
  api: allOf('api_names'),
  client: allOf('api_names'),
  upstream: allOf('upstreams'),
  provider: allOf('providers'),
} as const satisfies Readonly<Record<Exclude<UsageGroup, 'total'>, SQL>>

function allOf(table: string): SQL {
  return sql`SELECT id, name AS key, name AS label FROM svc_quota_monitor.${sql.raw(table)}`
}

/** Names of a group's members; a client label covers all its API names. */
function* memberNames(
  group: UsageGroup,
  clients: { readonly labels: ReadonlyMap<string, string>; readonly fingerprintKey: string },
): Steps<MembersById> {
  if (group === 'total') return everything
  const found = yield* rows<{ id: number; key: string; label: string }>(NAMES[group])
  return membersOf(
    group,
    found.map(({ id, key, label }) => [id, key, label] as const),
    clients,
  )
}
