import type { EpochMs } from '@svc/core'
import type {
  CapacityPoint,
  PoolMemoryUpdate,
  QuotaStore,
  RecentChange,
  RememberedPool,
  WindowReadingRecord,
} from '@svc/core/pool'
import type { Database } from '@svc/sqlite'
import { asc, desc, eq, gte, lt, sql } from 'drizzle-orm'
import {
  type BurnRow,
  burnHoursOfRows,
  CHANGES_MAX,
  pointsOfRows,
  readingsOfRows,
} from '../pool/quota-rows.ts'
import { storedChange } from '../pool/stored-change.ts'
import { ACCOUNT_PREFIX, poolOfTexts, rowsOfPool, STANDING_NAME } from '../pool/stored-pool.ts'
import type { Dictionaries } from './dictionary.ts'
import { ormOf } from './orm.ts'
import type { AtOnce } from './promised.ts'
import { accounts, capacityPoints, quotaSamples, recentChanges } from './tables.ts'

/** The course of the pool in an open database. Every method throws SQLite's errors. */
export interface QuotaTables extends AtOnce<QuotaStore> {
  /** Deletes up to `rowsMax` rows from before `before`; false if none are left. */
  prune(before: EpochMs, rowsMax: number): boolean
}

export function createQuotaStore(
  db: Database,
  { accounts: accountIds, transaction }: Pick<Dictionaries, 'accounts' | 'transaction'>,
): QuotaTables {
  const orm = ormOf(db)
  const memories = createPoolMemoryStore(db)
  const burnRows = db.prepare(
    `SELECT window_id AS windowId, at_ms / 3600000 AS hour, sum(burned_units) AS units, min(at_ms) AS firstAtMs FROM capacity_points
       WHERE at_ms >= ? GROUP BY window_id, hour ORDER BY hour`,
  )
  const trimChanges = db.prepare(
    `DELETE FROM recent_changes WHERE id NOT IN (SELECT id FROM recent_changes ORDER BY at_ms DESC, id DESC LIMIT ${CHANGES_MAX})`,
  )
  return {
    record({ points, readings, changes }, memory) {
      transaction(() => {
        if (memory !== undefined) memories.update(memory)
        for (const point of points) insertPoint(orm, point)
        for (const reading of readings)
          insertReading(orm, accountIds.idOf(reading.accountKey), reading)
        for (const change of changes) insertChange(orm, change)
        trimChanges.run()
      })
    },
    remembered: memories.read,
    changes: (max) => newestChanges(orm, max),
    points: (since) => pointsSince(orm, since),
    burnHours: (since) => burnHoursOfRows(burnRows.all(since) as BurnRow[]),
    latestReadings: () => latestReadings(orm),
    prune(before, rowsMax) {
      const samples = db
        .prepare(
          `DELETE FROM quota_samples WHERE (account_id, window_id, at_ms) IN (
             SELECT account_id, window_id, at_ms FROM quota_samples WHERE at_ms < ? LIMIT ?)`,
        )
        .run(before, rowsMax)
      const points = orm.delete(capacityPoints).where(lt(capacityPoints.atMs, before)).run()
      return samples.changes + points.changes > 0
    },
  }
}

type Orm = ReturnType<typeof ormOf>

function insertPoint(orm: Orm, { windowId, at, ...units }: CapacityPoint): void {
  orm
    .insert(capacityPoints)
    .values({ windowId, atMs: at, ...units })
    .onConflictDoNothing()
    .run()
}

function insertReading(
  orm: Orm,
  accountId: number,
  { windowId, at, percent, resetAt, origin, sampledAt }: WindowReadingRecord,
): void {
  orm
    .insert(quotaSamples)
    .values({
      accountId,
      windowId,
      atMs: at,
      percent,
      resetAtMs: resetAt,
      origin: origin ?? null,
      sampledAtMs: sampledAt ?? null,
    })
    .onConflictDoNothing()
    .run()
}

function insertChange(orm: Orm, { at, tone, detail }: RecentChange): void {
  orm
    .insert(recentChanges)
    .values({ atMs: at, tone, detail: JSON.stringify(detail) })
    .run()
}

function newestChanges(orm: Orm, max: number): readonly RecentChange[] {
  return orm
    .select()
    .from(recentChanges)
    .orderBy(desc(recentChanges.atMs), desc(recentChanges.id))
    .limit(max)
    .all()
    .map(storedChange)
    .filter((change) => change !== null)
}

function pointsSince(orm: Orm, since: EpochMs): readonly CapacityPoint[] {
  return pointsOfRows(
    orm
      .select()
      .from(capacityPoints)
      .where(gte(capacityPoints.atMs, since))
      .orderBy(asc(capacityPoints.atMs))
      .all(),
  )
}

function latestReadings(orm: Orm): readonly WindowReadingRecord[] {
  return readingsOfRows(
    orm
      .select({
        accountKey: accounts.key,
        windowId: quotaSamples.windowId,
        atMs: sql<number>`max(${quotaSamples.atMs})`,
        percent: quotaSamples.percent,
        resetAtMs: quotaSamples.resetAtMs,
      })
      .from(quotaSamples)
      .innerJoin(accounts, eq(accounts.id, quotaSamples.accountId))
      .groupBy(quotaSamples.accountId, quotaSamples.windowId)
      .all(),
  )
}

interface PoolMemoryStore {
  /** Call inside a transaction. */
  update(update: PoolMemoryUpdate): void
  /** The stored pool; null if none was ever stored. */
  read(): RememberedPool | null
}

/** Creates the store of the pool's last state, which the next process starts from and compares with. */
export function createPoolMemoryStore(db: Database): PoolMemoryStore {
  const write = db.prepare(
    'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )
  const remove = db.prepare('DELETE FROM meta WHERE name = ?')
  const one = db.prepare('SELECT value FROM meta WHERE name = ?').pluck()
  const accounts = db
    .prepare(
      `SELECT value FROM meta WHERE name >= '${ACCOUNT_PREFIX}' AND name < '${ACCOUNT_PREFIX.trimEnd()}!'`,
    )
    .pluck()
  return {
    update(update) {
      for (const [name, value] of rowsOfPool(update)) {
        if (value === null) remove.run(name)
        else write.run(name, value)
      }
    },
    read: () => poolOfTexts(one.get(STANDING_NAME), accounts.all() as string[]),
  }
}
