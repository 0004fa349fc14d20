import { type EpochMs, mainWindows } from '@svc/core'
import type { AskedAccount } from '@svc/core/account'
import {
  type PoolMemoryUpdate,
  type PoolRecord,
  type QuotaStore,
  type RecentChange,
  windowNameOf,
} from '@svc/core/pool'
import { type LeaseName, leaseOf, POOL_LEASE, upstreamOfFile } from '@svc/core/service'
import { type Column, getTableColumns, type SQL, sql } from 'drizzle-orm'
import {
  type BurnRow,
  burnHoursOfRows,
  CHANGES_MAX,
  type PointRow,
  pointsOfRows,
  type ReadingRow,
  readingsOfRows,
} from '../pool/quota-rows.ts'
import { askedOfRow } from '../pool/stored-account.ts'
import {
  ACCOUNT_PREFIX,
  LOGIN_PREFIX,
  poolOfTexts,
  rowsOfPool,
  STANDING_NAME,
  storedChange,
  TOLD_PREFIX,
} from '../pool/stored-pool.ts'
import { type Connection, insert, namesOf, queued, renewed, select } from './connection.ts'
import type { Engine } from './engine.ts'

type QuotaReads = Omit<QuotaStore, 'record' | 'rememberTold' | 'keepAsked'>

/** Store of the pool's course and its last state. Every method rejects with HistoryError. */
export function createQuotaStore({
  db,
  names,
  fence,
}: Pick<Engine, 'db' | 'names' | 'fence'>): QuotaStore {
  return {
    ...queued((read) => db.transaction('read', read), quotaReads(db)),
    async record(record, memory) {
      // Outside of the transaction, so that other writers see new accounts at once.
      const ids = await names.accounts.idsOf(record.readings.map(({ accountKey }) => accountKey))
      await db.transaction('write', async () => {
        await recordPool(db, record, memory, ids)
        const { points, readings, changes } = record
        // The pool's lease for its course, and a proxy's for the state of its accounts.
        const course: readonly LeaseName[] =
          points.length + readings.length + changes.length > 0 ? [POOL_LEASE] : []
        const files = memory?.texts.map(([fileKey]) => leaseOf(upstreamOfFile(fileKey))) ?? []
        await fence.demand(...course, ...files)
      })
    },
    keepAsked: (accounts, at) =>
      db.transaction('write', async () => {
        await keepAsked(db, accounts, at)
        // Another monitor may ask by now: then this query must not go out.
        await fence.demand(...accounts.map(({ upstream }) => leaseOf(upstream)))
      }),
    rememberTold: (target, memory) =>
      db.transaction('write', async () => {
        await setValues(db, [{ name: TOLD_PREFIX + target, value: memory }])
        await fence.demand(POOL_LEASE)
      }),
  }
}

/** Reads the pool's course and its last state; the next process starts from this state and compares with it. */
export function quotaReads(db: Connection): QuotaReads {
  const { accounts, askedAccounts, capacityPoints, meta, quotaSamples, recentChanges } = db.tables
  const values = (where: SQL) => select(db, meta, ['name', 'value'], sql`WHERE ${where}`)
  const beginsWith = (prefix: string) => sql`substr(${meta.name}, 1, ${prefix.length}) = ${prefix}`
  return {
    async remembered() {
      const [standing] = await values(sql`${meta.name} = ${STANDING_NAME}`)
      if (standing === undefined) return null
      const stored = await values(sql`${beginsWith(ACCOUNT_PREFIX)} ORDER BY ${meta.name}`)
      return poolOfTexts(
        standing.value,
        stored.map(({ value }) => value),
        await values(beginsWith(LOGIN_PREFIX)),
      )
    },
    async told() {
      const found = await values(beginsWith(TOLD_PREFIX))
      return new Map(found.map(({ name, value }) => [name.slice(TOLD_PREFIX.length), value]))
    },
    async asked() {
      const inOrder = sql`ORDER BY ${askedAccounts.upstream}, ${askedAccounts.file}`
      const fields = ['upstream', 'file', 'value'] as const
      return (await select(db, askedAccounts, fields, inOrder)).flatMap(askedOfRow)
    },
    async changes(max) {
      const newest = sql`ORDER BY ${recentChanges.atMs} DESC, ${recentChanges.id} DESC LIMIT ${max}`
      const found = await select(db, recentChanges, ['atMs', 'tone', 'detail'], newest)
      return found.map(storedChange).filter((change) => change !== null)
    },
    async points(since) {
      const { atMs, windowId } = capacityPoints
      const rest = sql`WHERE ${atMs} >= ${since} ORDER BY ${atMs}, ${windowId}`
      return pointsOfRows(
        await select(
          db,
          capacityPoints,
          Object.keys(getTableColumns(capacityPoints)) as (keyof PointRow)[],
          rest,
        ),
      )
    },
    async burnHours(since) {
      const { atMs, windowId, burnedUnits } = capacityPoints
      return burnHoursOfRows(
        await db.rows<BurnRow>(
          sql`SELECT ${windowId} AS "windowId", ${atMs} / 3600000 AS hour, sum(${burnedUnits}) AS units, min(${atMs}) AS "firstAtMs"
           FROM ${capacityPoints} WHERE ${atMs} >= ${since} GROUP BY ${windowId}, hour ORDER BY hour`,
        ),
      )
    },
    /** Finds each reading by the primary key, at a cost that depends neither on the number of readings nor on the planner's statistics. */
    async latestReadings() {
      const { accountId, windowId, atMs, percent, resetAtMs } = quotaSamples
      const windows = mainWindows.map(({ id }) => sql`(${id})`)
      const ofNewest = (column: Column) =>
        sql`(SELECT ${column} FROM ${quotaSamples}
           WHERE ${accountId} = newest.id AND ${windowId} = newest.window_id AND ${atMs} = newest.at_ms)`
      return readingsOfRows(
        await db.rows<ReadingRow>(
          sql`SELECT key AS "accountKey", window_id AS "windowId", at_ms AS "atMs", ${ofNewest(percent)} AS percent, ${ofNewest(resetAtMs)} AS "resetAtMs"
           FROM (SELECT ${accounts.id} AS id, ${accounts.key} AS key, w.column1 AS window_id, (
               SELECT max(${atMs}) FROM ${quotaSamples} WHERE ${accountId} = ${accounts.id} AND ${windowId} = w.column1) AS at_ms
             FROM ${accounts} CROSS JOIN (VALUES ${sql.join(windows, sql`, `)}) AS w) AS newest
           WHERE at_ms IS NOT NULL ORDER BY id, window_id`,
        ),
      )
    },
  }
}

/** Stores a record and the changes of the pool's last state; `ids` are the numbers of the record's accounts. Call inside a transaction. */
async function recordPool(
  db: Connection,
  { points, readings, changes }: PoolRecord,
  memory: PoolMemoryUpdate | undefined,
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const { capacityPoints, quotaSamples } = db.tables
  // All in the order of keys, so that two monitors storing at once wait for each other in the same order.
  if (memory !== undefined) await rememberPool(db, memory)
  await insert(
    db,
    capacityPoints,
    points
      .toSorted((one, other) => one.at - other.at)
      .map(({ provider, windowId, at, usableUnits = null, ...units }) => ({
        windowId: windowNameOf({ provider, windowId }),
        atMs: at,
        ...units,
        usableUnits,
      })),
  )
  await insert(
    db,
    quotaSamples,
    readings
      .map(({ accountKey, windowId, at, percent, resetAt, origin = null, sampledAt = null }) => ({
        ...{ accountId: ids.get(accountKey) ?? 0, windowId, atMs: at },
        ...{ percent, resetAtMs: resetAt, origin, sampledAtMs: sampledAt },
      }))
      .sort((one, other) => one.accountId - other.accountId || one.atMs - other.atMs),
  )
  await insertChanges(db, changes)
}

/** Stores changes of the pool's last state. Call inside a transaction. */
async function rememberPool(db: Connection, update: PoolMemoryUpdate): Promise<void> {
  const { meta } = db.tables
  const stored = rowsOfPool(update)
    .filter(([name]) => !name.includes('\0'))
    .sort(([one], [other]) => (one < other ? -1 : 1))
  await setValues(
    db,
    stored.flatMap(([name, value]) => (value === null ? [] : [{ name, value }])),
  )
  for (const [name, value] of stored)
    if (value === null) await db.run(sql`DELETE FROM ${meta} WHERE ${meta.name} = ${name}`)
}

/** Stores the last queries of accounts. Call inside a transaction. */
async function keepAsked(
  db: Connection,
  accounts: readonly AskedAccount[],
  at: EpochMs,
): Promise<void> {
  const { askedAccounts } = db.tables
  const stored = accounts
    .filter(({ authName }) => !authName.includes('\0'))
    .map(({ upstream, authName: file, ...asked }) => ({
      file,
      upstream,
      atMs: at,
      value: JSON.stringify(asked),
    }))
    .sort((one, other) => (one.file < other.file ? -1 : 1))
  const { upstream, file, atMs, value } = askedAccounts
  const update = sql`(${namesOf(upstream, file)}) DO UPDATE SET ${renewed(atMs, value)}`
  await insert(db, askedAccounts, stored, update)
}

async function setValues(
  db: Connection,
  pairs: readonly { readonly name: string; readonly value: string }[],
): Promise<void> {
  const { meta } = db.tables
  await insert(db, meta, pairs, sql`(${namesOf(meta.name)}) DO UPDATE SET ${renewed(meta.value)}`)
}

/**
 * Maximum of attempts to number a change. One of several concurrent writers succeeds in each, so this is enough for as many writers. A trigger may
 * drop a change in every attempt.
 */
const ROUNDS_MAX = 100

/** Stores changes, numbered after the newest stored one. A change whose number another monitor takes first gets the next one. */
async function insertChanges(db: Connection, changes: readonly RecentChange[]): Promise<void> {
  const { recentChanges } = db.tables
  const { id, atMs } = recentChanges
  for (const { at, tone, detail } of changes) {
    for (let round = 0, stored = 0; stored === 0 && round < ROUNDS_MAX; round += 1)
      stored = await db.run(
        sql`INSERT INTO ${recentChanges} (${namesOf(id, atMs, recentChanges.tone, recentChanges.detail)})
         SELECT coalesce(max(${id}), 0) + 1, CAST(${at} AS bigint), ${tone}, ${JSON.stringify(detail)} FROM ${recentChanges} WHERE true
         ON CONFLICT DO NOTHING`,
      )
  }
  if (changes.length > 0)
    await db.run(
      sql`DELETE FROM ${recentChanges} WHERE ${id} NOT IN (
         SELECT ${id} FROM ${recentChanges} ORDER BY ${atMs} DESC, ${id} DESC LIMIT ${CHANGES_MAX})`,
    )
}
