import { DAY_MS, type EpochMs, epochMs } from '@svc/core'
import type { MetaValues } from '../contract/store-meta.ts'
import { earliestOf, observedSince, watchedSince } from '../usage/extent.ts'
import type { UsageExtent } from '../usage/stored-usage.ts'
import { DAY_TIER_SECONDS, groupings } from '../usage/tiers.ts'
import { missedStretches, missedTime } from './gap-reader.ts'
import type { Session } from './session.ts'

/** Days that are searched first for the oldest and the newest row, because each day is a table of its own. */
const NEAR_DAYS = 2

/** The extent of usage for one answer, with repeated reads cached. `meta` is of the same moment. */
export function createUsageExtent(
  session: Session,
  meta: MetaValues,
  { isReplica = false }: { readonly isReplica?: boolean } = {},
): UsageExtent {
  const firstPollAt = meta.instant('first_poll_ms')
  let known: Promise<EpochMs | null> | null = null
  const earliest = () => {
    known ??= readEarliest(session, meta.instant('cut_ms'))
    return known
  }
  const latest = (now: EpochMs) => readLatest(session, now)
  return {
    earliest,
    rowsSince: async () => meta.instant('cut_ms'),
    latest,
    async watch(from) {
      const since = watchedSince(await earliest(), firstPollAt)
      return { since, missed: await missedStretches(session, from) }
    },
    async history(now) {
      const since = observedSince(firstPollAt, now)
      return {
        earliest: await earliest(),
        latest: await latest(now),
        databaseBytes: await databaseBytes(session),
        lastWriteAt: meta.instant('last_write_ms'),
        duplicates: meta.count('duplicate'),
        missing: meta.count('missing'),
        observedSeconds: Math.max(0, (now - since) / 1000),
        gapSeconds: (await missedTime(session, since, now)) / 1000,
        ...(isReplica ? { lagSeconds: await lagSeconds(session) } : {}),
      }
    },
  }
}

/** Start of the oldest usage. Every row is in its day's sums; rows from before the cut are gone or about to go. */
async function readEarliest(session: Session, cut: EpochMs | null): Promise<EpochMs | null> {
  const dayS = await onlyValue(
    session,
    `SELECT min(bucket_s) AS value FROM svc_quota_monitor.rollup_${DAY_TIER_SECONDS} WHERE grouping = ${groupings.total}`,
  )
  const from = Math.max(cut ?? 0, dayS === null ? 0 : dayS * 1000)
  const row =
    (await onlyValue(
      session,
      `SELECT min(at_ms) AS value FROM svc_quota_monitor.usage WHERE at_ms < ${from + NEAR_DAYS * DAY_MS}`,
    )) ?? (await onlyValue(session, 'SELECT min(at_ms) AS value FROM svc_quota_monitor.usage'))
  return earliestOf(row, dayS)
}

async function readLatest(session: Session, now: EpochMs): Promise<EpochMs | null> {
  const newest = 'SELECT max(at_ms) AS value FROM svc_quota_monitor.usage'
  const at =
    (await onlyValue(
      session,
      `${newest} WHERE at_ms >= ${now - NEAR_DAYS * DAY_MS} AND at_ms < ${now}`,
    )) ?? (await onlyValue(session, `${newest} WHERE at_ms < ${now}`))
  return at === null ? null : epochMs(at)
}

function databaseBytes(session: Session): Promise<number> {
  return onlyValue(session, 'SELECT pg_database_size(current_database()) AS value').then(
    (bytes) => bytes ?? 0,
  )
}

/** Age of the newest commit that has reached a standby. The service commits every few seconds, so this is its lag. */
async function lagSeconds(session: Session): Promise<number> {
  const lag = await onlyValue(
    session,
    `SELECT CASE WHEN pg_is_in_recovery() THEN extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 END AS value`,
  )
  return Math.max(0, lag ?? 0)
}

async function onlyValue({ rows }: Session, sql: string): Promise<number | null> {
  const [row] = await rows<{ value: number | null }>(sql)
  return row?.value ?? null
}
