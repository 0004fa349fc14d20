import { type EpochMs, mainWindows } from '@svc/core'
import type {
  CapacityPoint,
  PoolMemoryUpdate,
  PoolRecord,
  QuotaStore,
  RecentChange,
  WindowReadingRecord,
} from '@svc/core/pool'
import { type LeaseName, leaseOf, POOL_LEASE, upstreamOfFile } from '@svc/core/service'
import {
  type BurnRow,
  burnHoursOfRows,
  CHANGES_MAX,
  type PointRow,
  pointsOfRows,
  type ReadingRow,
  readingsOfRows,
} from '../pool/quota-rows.ts'
import { storedChange } from '../pool/stored-change.ts'
import type { Fence } from './fence.ts'
import { createPoolMemoryStore } from './pool-memory-store.ts'
import type { Session } from './session.ts'

/** The course of the pool in a database. Every method rejects with HistoryError. */
export interface QuotaTables extends QuotaStore {
  /** Deletes up to `rowsMax` readings, and all points, from before `before` while the lease of the pool is held; false if none are left. */
  prune(before: EpochMs, rowsMax: number): Promise<boolean>
}

/** Numbers of accounts by their keys; new ones get one. Call outside of transactions. */
interface AccountIds {
  readonly accounts: {
    idsOf(keys: readonly string[]): Promise<ReadonlyMap<string, number>>
  }
}

export function createPostgresQuotaStore(
  session: Session,
  { accounts }: AccountIds,
  fence: Fence,
): QuotaTables {
  const memories = createPoolMemoryStore(session)
  const { rows, run, transaction } = session
  return {
    async record(record, memory) {
      const { points, readings, changes } = record
      const ids = await accounts.idsOf(readings.map(({ accountKey }) => accountKey))
      await transaction('write', async () => {
        if (memory !== undefined) await memories.update(memory)
        await insertPoints(session, points)
        await insertReadings(session, readings, ids)
        await insertChanges(session, changes)
        await fence.demand(...leasesFor(record, memory))
      })
    },
    remembered: () => transaction('read', memories.read),
    changes: (max) =>
      transaction('read', async () => {
        const found = await rows<ChangeRow>(
          `SELECT at_ms AS "atMs", tone, detail FROM svc_quota_monitor.recent_changes ORDER BY at_ms DESC, id DESC LIMIT $1`,
          [max],
        )
        return found.map(storedChange).filter((change) => change !== null)
      }),
    points: (since) =>
      transaction('read', async () =>
        pointsOfRows(
          await rows<PointRow>(
            `SELECT window_id AS "windowId", at_ms AS "atMs", known_units AS "knownUnits", tracked_units AS "trackedUnits",
               unknown_units AS "unknownUnits", burned_units AS "burnedUnits"
             FROM svc_quota_monitor.capacity_points WHERE at_ms >= $1 ORDER BY at_ms, window_id`,
            [since],
          ),
        ),
      ),
    burnHours: (since) =>
      transaction('read', async () =>
        burnHoursOfRows(
          await rows<BurnRow>(
            `SELECT window_id AS "windowId", at_ms / 3600000 AS hour, sum(burned_units) AS units, min(at_ms) AS "firstAtMs"
             FROM svc_quota_monitor.capacity_points WHERE at_ms >= $1 GROUP BY window_id, hour ORDER BY hour`,
            [since],
          ),
        ),
      ),
    latestReadings: () => transaction('read', () => latestReadings(session)),
    async prune(before, rowsMax) {
      const [heldAt2, heldAt3] = [fence.condition(POOL_LEASE, 2), fence.condition(POOL_LEASE, 3)]
      const samples = await run(
        `DELETE FROM svc_quota_monitor.quota_samples WHERE (account_id, window_id, at_ms) IN (
           SELECT account_id, window_id, at_ms FROM svc_quota_monitor.quota_samples WHERE at_ms < $1 LIMIT $2) AND ${heldAt3.sql}`,
        [before, rowsMax, ...heldAt3.values],
      )
      const points = await run(
        `DELETE FROM svc_quota_monitor.capacity_points WHERE at_ms < $1 AND ${heldAt2.sql}`,
        [before, ...heldAt2.values],
      )
      return samples + points > 0
    },
  }
}

/** Leases for a record: the pool's for its course, and a proxy's for the state of its accounts. */
function leasesFor(
  { points, readings, changes }: PoolRecord,
  memory: PoolMemoryUpdate | undefined,
): readonly LeaseName[] {
  const hasCourse = points.length + readings.length + changes.length > 0
  const files = memory?.texts.map(([fileKey]) => leaseOf(upstreamOfFile(fileKey))) ?? []
  return hasCourse ? [POOL_LEASE, ...files] : files
}

interface ChangeRow {
  readonly atMs: number
  readonly tone: string
  readonly detail: string
}

// All inserts are in the order of keys, so that two monitors storing at once wait for each other in the same order.

async function insertPoints({ run }: Session, points: readonly CapacityPoint[]): Promise<void> {
  if (points.length === 0) return
  const sorted = [...points].sort((one, other) => one.at - other.at)
  await run(
    `INSERT INTO svc_quota_monitor.capacity_points (window_id, at_ms, known_units, tracked_units, unknown_units, burned_units)
     SELECT * FROM unnest($1::text[], $2::bigint[], $3::float8[], $4::float8[], $5::float8[], $6::float8[]) ON CONFLICT DO NOTHING`,
    [
      sorted.map(({ windowId }) => windowId),
      sorted.map(({ at }) => at),
      sorted.map(({ knownUnits }) => knownUnits),
      sorted.map(({ trackedUnits }) => trackedUnits),
      sorted.map(({ unknownUnits }) => unknownUnits),
      sorted.map(({ burnedUnits }) => burnedUnits),
    ],
  )
}

async function insertReadings(
  { run }: Session,
  readings: readonly WindowReadingRecord[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  if (readings.length === 0) return
  const sorted = readings
    .map((reading) => ({ ...reading, id: ids.get(reading.accountKey) }))
    .sort((one, other) => (one.id ?? 0) - (other.id ?? 0) || one.at - other.at)
  await run(
    `INSERT INTO svc_quota_monitor.quota_samples (account_id, window_id, at_ms, percent, reset_at_ms, origin, sampled_at_ms)
     SELECT * FROM unnest($1::int[], $2::text[], $3::bigint[], $4::float8[], $5::bigint[], $6::text[], $7::bigint[]) ON CONFLICT DO NOTHING`,
    [
      sorted.map(({ id }) => id),
      sorted.map(({ windowId }) => windowId),
      sorted.map(({ at }) => at),
      sorted.map(({ percent }) => percent),
      sorted.map(({ resetAt }) => resetAt),
      sorted.map(({ origin }) => origin ?? null),
      sorted.map(({ sampledAt }) => sampledAt ?? null),
    ],
  )
}

/** Numbers changes after the newest stored one. Changes whose numbers another monitor takes first are inserted again. */
async function insertChanges(
  { rows, run }: Session,
  changes: readonly RecentChange[],
): Promise<void> {
  if (changes.length === 0) return
  for (let left = changes; left.length > 0; ) {
    const [newest] = await rows<{ id: number }>(
      'SELECT coalesce(max(id), 0) AS id FROM svc_quota_monitor.recent_changes',
    )
    const first = (newest?.id ?? 0) + 1
    const stored = await rows<{ id: number }>(
      `INSERT INTO svc_quota_monitor.recent_changes (id, at_ms, tone, detail)
       SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) ON CONFLICT DO NOTHING RETURNING id`,
      [
        left.map((_, index) => first + index),
        left.map(({ at }) => at),
        left.map(({ tone }) => tone),
        left.map(({ detail }) => JSON.stringify(detail)),
      ],
    )
    const ids = new Set(stored.map(({ id }) => id))
    left = left.filter((_, index) => !ids.has(first + index))
  }
  await run(
    `DELETE FROM svc_quota_monitor.recent_changes WHERE id NOT IN (
       SELECT id FROM svc_quota_monitor.recent_changes ORDER BY at_ms DESC, id DESC LIMIT ${CHANGES_MAX})`,
  )
}

/** Newest reading of each window, found by the primary key however many readings there are. */
async function latestReadings({ rows }: Session): Promise<readonly WindowReadingRecord[]> {
  return readingsOfRows(
    await rows<ReadingRow>(
      `SELECT account.key AS "accountKey", newest.window_id AS "windowId", newest.at_ms AS "atMs", newest.percent, newest.reset_at_ms AS "resetAtMs"
       FROM svc_quota_monitor.accounts AS account CROSS JOIN unnest($1::text[]) AS of_window (id)
       CROSS JOIN LATERAL (
         SELECT window_id, at_ms, percent, reset_at_ms FROM svc_quota_monitor.quota_samples
         WHERE account_id = account.id AND window_id = of_window.id ORDER BY at_ms DESC LIMIT 1) AS newest
       ORDER BY account.id, newest.window_id`,
      [mainWindows.map(({ id }) => id)],
    ),
  )
}
