import { type EpochMs, mainWindows } from '@svc/core'
import type { AskedAccount } from '@svc/core/account'
import {
  type PoolMemoryUpdate,
  type PoolRecord,
  type QuotaStore,
  type RecentChange,
  windowNameOf,
} from '@svc/core/pool'
import { type SQL, sql } from 'drizzle-orm'
import {
  type BurnRow,
  burnHoursOfRows,
  CHANGES_MAX,
  type PointRow,
  pointsOfRows,
  type ReadingRow,
  readingsOfRows,
} from '../pool/quota-rows.ts'
import { type AskedRow, askedOfRow } from '../pool/stored-account.ts'
import { storedChange } from '../pool/stored-change.ts'
import {
  ACCOUNT_PREFIX,
  LOGIN_PREFIX,
  poolOfTexts,
  rowsOfPool,
  STANDING_NAME,
  TOLD_PREFIX,
} from '../pool/stored-pool.ts'
import { byName } from './meta.ts'
import { insert, rows, run, type Steps, type StepsOf } from './steps.ts'

export type QuotaReads = Omit<QuotaStore, 'record' | 'rememberTold' | 'keepAsked'>

/** Reads the course of the pool and its last state, which the next process starts from and compares with. */
export const quotaReads: StepsOf<QuotaReads> = {
  *remembered() {
    const [standing] = yield* values(sql`name = ${STANDING_NAME}`)
    if (standing === undefined) return null
    const accounts = yield* values(sql`${beginsWith(ACCOUNT_PREFIX)} ORDER BY name`)
    return poolOfTexts(
      standing.value,
      accounts.map(({ value }) => value),
      yield* values(beginsWith(LOGIN_PREFIX)),
    )
  },
  *told() {
    const found = yield* values(beginsWith(TOLD_PREFIX))
    return new Map(found.map(({ name, value }) => [name.slice(TOLD_PREFIX.length), value]))
  },
  *asked() {
    const found = yield* rows<AskedRow>(
      sql`SELECT upstream, file, value FROM svc_quota_monitor.asked_accounts ORDER BY upstream, file`,
    )
    return found.flatMap(askedOfRow)
  },
  *changes(max) {
    const found = yield* rows<Parameters<typeof storedChange>[0]>(
      sql`SELECT at_ms AS "atMs", tone, detail FROM svc_quota_monitor.recent_changes ORDER BY at_ms DESC, id DESC LIMIT ${max}`,
    )
    return found.map(storedChange).filter((change) => change !== null)
  },
  *points(since) {
    return pointsOfRows(
      yield* rows<PointRow>(
        sql`SELECT window_id AS "windowId", at_ms AS "atMs", known_units AS "knownUnits", tracked_units AS "trackedUnits",
           unknown_units AS "unknownUnits", burned_units AS "burnedUnits"
         FROM svc_quota_monitor.capacity_points WHERE at_ms >= ${since} ORDER BY at_ms, window_id`,
      ),
    )
  },
  *burnHours(since) {
    return burnHoursOfRows(
      yield* rows<BurnRow>(
        sql`SELECT window_id AS "windowId", at_ms / 3600000 AS hour, sum(burned_units) AS units, min(at_ms) AS "firstAtMs"
         FROM svc_quota_monitor.capacity_points WHERE at_ms >= ${since} GROUP BY window_id, hour ORDER BY hour`,
      ),
    )
  },
  /** Finds each reading by the primary key, independent of their number and of the planner's statistics. */
  *latestReadings() {
    const windows = mainWindows.map(({ id }) => sql`(${id})`)
    const ofNewest = (column: SQL) =>
      sql`(SELECT ${column} FROM svc_quota_monitor.quota_samples
         WHERE account_id = newest.id AND window_id = newest.window_id AND at_ms = newest.at_ms)`
    return readingsOfRows(
      yield* rows<ReadingRow>(
        sql`SELECT key AS "accountKey", window_id AS "windowId", at_ms AS "atMs", ${ofNewest(sql`percent`)} AS percent, ${ofNewest(sql`reset_at_ms`)} AS "resetAtMs"
         FROM (SELECT a.id, a.key, w.column1 AS window_id, (
             SELECT max(at_ms) FROM svc_quota_monitor.quota_samples WHERE account_id = a.id AND window_id = w.column1) AS at_ms
           FROM svc_quota_monitor.accounts AS a CROSS JOIN (VALUES ${sql.join(windows, sql`, `)}) AS w) AS newest
         WHERE at_ms IS NOT NULL ORDER BY id, window_id`,
      ),
    )
  },
}

const beginsWith = (prefix: string) => sql`substr(name, 1, ${prefix.length}) = ${prefix}`

function values(where: SQL): Steps<readonly { readonly name: string; readonly value: string }[]> {
  return rows(sql`SELECT name, value FROM svc_quota_monitor.meta WHERE ${where}`)
}

/** Stores a record and the changes of the pool's last state; `ids` are the numbers of its accounts. Call inside a transaction. */
export function* recordPool(
  { points, readings, changes }: PoolRecord,
  memory: PoolMemoryUpdate | undefined,
  ids: ReadonlyMap<string, number>,
): Steps<void> {
  // All in the order of keys, so that two monitors storing at once wait for each other in the same order.
  if (memory !== undefined) yield* rememberPool(memory)
  yield* insert(
    'capacity_points',
    ['window_id', 'at_ms', 'known_units', 'tracked_units', 'unknown_units', 'burned_units'],
    points
      .toSorted((one, other) => one.at - other.at)
      .map(({ at, knownUnits, trackedUnits, unknownUnits, burnedUnits, ...window }) => [
        windowNameOf(window),
        at,
        knownUnits,
        trackedUnits,
        unknownUnits,
        burnedUnits,
      ]),
  )
  yield* insert(
    'quota_samples',
    ['account_id', 'window_id', 'at_ms', 'percent', 'reset_at_ms', 'origin', 'sampled_at_ms'],
    readings
      .map((reading) => ({ ...reading, id: ids.get(reading.accountKey) }))
      .sort((one, other) => (one.id ?? 0) - (other.id ?? 0) || one.at - other.at)
      .map(({ id, windowId, at, percent, resetAt, origin = null, sampledAt = null }) => [
        id,
        windowId,
        at,
        percent,
        resetAt,
        origin,
        sampledAt,
      ]),
  )
  yield* insertChanges(changes)
}

/** Call inside a transaction. */
export function* rememberPool(update: PoolMemoryUpdate): Steps<void> {
  const stored = rowsOfPool(update)
    .filter(([name]) => !name.includes('\0'))
    .sort(byName)
  yield* setValues(stored.filter(([, value]) => value !== null))
  for (const [name, value] of stored)
    if (value === null) yield* run(sql`DELETE FROM svc_quota_monitor.meta WHERE name = ${name}`)
}

/** Call inside a transaction. */
export function* rememberTold(target: string, memory: string): Steps<void> {
  yield* setValues([[TOLD_PREFIX + target, memory]])
}

/** Call inside a transaction. */
export function* keepAsked(accounts: readonly AskedAccount[], at: EpochMs): Steps<void> {
  const stored = accounts
    .filter(({ authName }) => !authName.includes('\0'))
    .map(
      ({ upstream, authName, ...asked }) =>
        [authName, upstream, at, JSON.stringify(asked)] as const,
    )
    .sort(byName)
  const update = sql`(upstream, file) DO UPDATE SET at_ms = excluded.at_ms, value = excluded.value`
  yield* insert('asked_accounts', ['file', 'upstream', 'at_ms', 'value'], stored, update)
}

function setValues(pairs: readonly (readonly [name: string, value: string | null])[]) {
  const update = sql`(name) DO UPDATE SET value = excluded.value`
  return insert('meta', ['name', 'value'], pairs, update)
}

/** Rounds after which even as many concurrent writers have all added their changes. A trigger may drop a change in every round. */
const ROUNDS_MAX = 100

/** Numbers changes after the newest stored one. A change whose number another monitor takes first gets the next one. */
function* insertChanges(changes: readonly RecentChange[]): Steps<void> {
  for (const { at, tone, detail } of changes) {
    for (let round = 0, stored = 0; stored === 0 && round < ROUNDS_MAX; round += 1)
      stored = yield* run(
        sql`INSERT INTO svc_quota_monitor.recent_changes (id, at_ms, tone, detail)
         SELECT coalesce(max(id), 0) + 1, CAST(${at} AS bigint), ${tone}, ${JSON.stringify(detail)} FROM svc_quota_monitor.recent_changes WHERE true
         ON CONFLICT DO NOTHING`,
      )
  }
  if (changes.length > 0)
    yield* run(
      sql`DELETE FROM svc_quota_monitor.recent_changes WHERE id NOT IN (
         SELECT id FROM svc_quota_monitor.recent_changes ORDER BY at_ms DESC, id DESC LIMIT ${CHANGES_MAX})`,
    )
}
