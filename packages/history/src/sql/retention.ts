import { DAY_MS, type EpochMs } from '@svc/core'
import { POOL_LEASE } from '@svc/core/service'
import { sql } from 'drizzle-orm'
import { cutAfterWrongClock, type RetentionStep } from '../contract/history-store.ts'
import {
  allGroupings,
  DAY_TIER_SECONDS,
  groupings,
  rateGroupings,
  tiersOf,
} from '../usage/tiers.ts'
import { type Connection, type Held, namesOf, onlyValue } from './connection.ts'
import { clearMeta, readMeta, setMeta } from './meta.ts'
import { boundsOfStore } from './usage-rows.ts'

/** Moves the cut, before which no request is stored. Call inside a transaction that has locked it. */
export async function moveCut(db: Connection, planned: EpochMs, asOf: EpochMs): Promise<void> {
  const before = (await readMeta(db)).instant('cut_ms') ?? 0
  // It only moves forward: a deleted row is not stored again.
  const cut = planned > before ? { cut_ms: planned } : {}
  await setMeta(db, { forgotten_as_of_ms: asOf, ...cut })
}

/** Deletes up to `rowsMax` expired sums while the lease of the pool is held; false if none are left. */
export async function pruneSums(
  db: Connection,
  held: Held,
  { asOf, rowsMax }: RetentionStep,
): Promise<boolean> {
  for (const grouping of Object.values(allGroupings)) {
    for (const { seconds, keptSeconds } of tiersOf(grouping)) {
      if (!Number.isFinite(keptSeconds)) continue
      const { sums, ofTier } = db.tables.sumsOfTier(seconds)
      const ofGrouping = sql`${ofTier} AND ${sums.grouping} = ${grouping}`
      const endedBeforeS = Math.floor(asOf / 1000 - keptSeconds - seconds)
      const expired = sql`SELECT ${sums.bucketS}, ${sums.memberId} FROM ${sums} WHERE ${ofGrouping} AND ${sums.bucketS} <= ${endedBeforeS}
        ORDER BY ${sums.bucketS}, ${sums.memberId} LIMIT ${rowsMax}`
      const deleted = await db.run(
        sql`DELETE FROM ${sums} WHERE ${ofGrouping} AND ${held(POOL_LEASE)} AND (${sums.bucketS}, ${sums.memberId}) IN (${expired})`,
      )
      if (deleted > 0) return true
    }
  }
  return pruneCauses(db, held, { asOf, rowsMax })
}

/** Days that counts of failures by cause are kept. */
const CAUSE_DAYS = 90

async function pruneCauses(
  db: Connection,
  held: Held,
  { asOf, rowsMax }: RetentionStep,
): Promise<boolean> {
  const { failureCauses: table } = db.tables
  const { day, providerId, upstreamId, accountId, causeId } = table
  const key = sql`${day}, ${providerId}, ${upstreamId}, ${accountId}, ${causeId}`
  const expired = sql`SELECT ${key} FROM ${table} WHERE ${day} < ${Math.floor(asOf / DAY_MS) - CAUSE_DAYS} LIMIT ${rowsMax}`
  const deleted = await db.run(
    sql`DELETE FROM ${table} WHERE (${key}) IN (${expired}) AND ${held(POOL_LEASE)}`,
  )
  return deleted > 0
}

/** Deletes gaps and points older than `before`, and up to `rowsMax` readings, while the lease of the pool is held; false if none are left. */
export async function pruneCourse(
  db: Connection,
  held: Held,
  { before, rowsMax }: { readonly before: EpochMs; readonly rowsMax: number },
): Promise<boolean> {
  const { askedAccounts, capacityPoints, gaps, quotaSamples } = db.tables
  const ours = held(POOL_LEASE)
  await db.run(sql`DELETE FROM ${gaps} WHERE ${gaps.toMs} < ${before} AND ${ours}`)
  const { accountId, windowId, atMs } = quotaSamples
  const samples = await db.run(
    sql`DELETE FROM ${quotaSamples} WHERE (${accountId}, ${windowId}, ${atMs}) IN (
       SELECT ${accountId}, ${windowId}, ${atMs} FROM ${quotaSamples} WHERE ${atMs} < ${before} LIMIT ${rowsMax}) AND ${ours}`,
  )
  await db.run(
    sql`DELETE FROM ${askedAccounts} WHERE ${askedAccounts.atMs} < ${before} AND ${ours}`,
  )
  const points = await db.run(
    sql`DELETE FROM ${capacityPoints} WHERE ${capacityPoints.atMs} < ${before} AND ${ours}`,
  )
  return samples + points > 0
}

/**
 * Takes back a future cut left by a wrong clock, because every new row would be dropped as too old. Gaps end and changes are dated at `falseAfter` at
 * the latest. A gap that begins later is deleted only if no row proves that its time has come, so that missing usage does not look complete. Call
 * inside a transaction that may move the cut.
 */
export async function takeBackFuture(db: Connection, falseAfter: EpochMs): Promise<void> {
  const { gaps, recentChanges, sumsOfTier, usage } = db.tables
  const { fromMs, toMs, reason, upstreamId } = gaps
  const { sums, ofTier } = sumsOfTier(DAY_TIER_SECONDS)
  const newestDayS = await onlyValue(
    db,
    sql`SELECT max(${sums.bucketS}) AS value FROM ${sums}
      WHERE ${ofTier} AND ${sums.grouping} = ${groupings.total} AND ${sums.bucketS} <= ${Math.floor(falseAfter / 1000)}`,
  )
  const cut = cutAfterWrongClock(newestDayS, falseAfter)
  await (cut === null ? clearMeta(db, 'cut_ms') : setMeta(db, { cut_ms: cut }))
  await db.run(
    sql`DELETE FROM ${gaps} WHERE ${fromMs} > ${falseAfter} AND ${fromMs} > (SELECT coalesce(max(${usage.atMs}), 0) FROM ${usage})`,
  )
  const beyond = sql`${toMs} > ${falseAfter} AND ${fromMs} <= ${falseAfter}`
  await db.run(
    sql`INSERT INTO ${gaps} (${namesOf(upstreamId, fromMs, toMs, reason)})
      SELECT ${upstreamId}, ${fromMs}, CAST(${falseAfter} AS bigint), ${reason} FROM ${gaps} WHERE ${beyond} ON CONFLICT DO NOTHING`,
  )
  await db.run(sql`DELETE FROM ${gaps} WHERE ${beyond}`)
  const { atMs } = recentChanges
  await db.run(
    sql`UPDATE ${recentChanges} SET ${namesOf(atMs)} = ${falseAfter} WHERE ${atMs} > ${falseAfter}`,
  )
}

/** Finds the days whose sums by rate lack requests, as of a backup without them. Call inside a transaction that has added sums. */
export async function settleRates(db: Connection): Promise<void> {
  const { sums, ofTier } = db.tables.sumsOfTier(DAY_TIER_SECONDS)
  const { ratesUntil } = await boundsOfStore(db)
  const held = sql`${sums.bucketS} <= ${Math.floor((ratesUntil ?? Number.MAX_SAFE_INTEGER) / 1000) - DAY_TIER_SECONDS}`
  let since = 0
  for (const rate of Object.values(rateGroupings)) {
    const missing = sql`sum(CASE WHEN ${sums.grouping} = ${groupings.total} THEN ${sums.requests} ELSE -${sums.requests} END)`
    const newestS = await onlyValue(
      db,
      sql`SELECT max(bucket_s) AS value FROM (SELECT ${sums.bucketS} AS bucket_s FROM ${sums}
        WHERE ${ofTier} AND ${held} AND ${sums.grouping} IN ${[groupings.total, rate]} GROUP BY ${sums.bucketS} HAVING ${missing} <> 0) AS days`,
    )
    if (newestS !== null) since = Math.max(since, (newestS + DAY_TIER_SECONDS) * 1000)
  }
  await (since === 0 ? clearMeta(db, 'pairs_since_ms') : setMeta(db, { pairs_since_ms: since }))
}
