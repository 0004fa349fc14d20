import { type EpochMs, epochMs } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import {
  providerOfUsage,
  type QuarantinedRecord,
  type UsageBatch,
  type UsageDetail,
  type UsageGap,
  type UsageTally,
} from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import { type BucketSums, createBucketSums } from '../usage/bucket-sums.ts'
import { type Connection, insert, onlyValue } from './connection.ts'
import type { Bucket, Engine, UsageRow } from './engine.ts'
import { readMeta } from './meta.ts'
import { addCauses, type RateNumbers } from './numbers.ts'

/** Bounds of what a store holds. */
export interface StoreBounds {
  /** Time before which no request is stored, 0 without one. */
  readonly cut: EpochMs
  /** Time before which sums by rate hold all requests, and from which they hold none; null if they hold all. */
  readonly ratesUntil: EpochMs | null
}

export async function boundsOfStore(db: Connection): Promise<StoreBounds> {
  const meta = await readMeta(db, ['cut_ms', 'rates_until_ms'])
  return { cut: meta.instant('cut_ms') ?? epochMs(0), ratesUntil: meta.instant('rates_until_ms') }
}

/** Start time of the oldest or newest request; null without rows. */
export async function rowTime(db: Connection, which: 'min' | 'max'): Promise<EpochMs | null> {
  const { usage } = db.tables
  const at = await onlyValue(
    db,
    sql`SELECT ${sql.raw(which)}(${usage.atMs}) AS value FROM ${usage}`,
  )
  return at === null ? null : epochMs(at)
}

/** A batch whose names already have numbers and whose days exist. */
export interface PreparedBatch {
  readonly batch: UsageBatch
  readonly upstreamId: number
  /** Cut for which the batch was prepared; earlier requests are left out. */
  readonly cut: EpochMs
  /** Distinct requests in the order of the table's key, so that two writers never deadlock. */
  readonly rows: readonly UsageRow[]
}

/** Learns names and creates days for the requests from `cut` on. Call before a transaction. Rejects with HistoryError. */
export async function prepareBatch(
  { names, rows: writer }: Pick<Engine, 'names' | 'rows'>,
  batch: UsageBatch,
  { upstream, cut }: { readonly upstream: UpstreamName; readonly cut: EpochMs },
): Promise<PreparedBatch> {
  const details = distinctOf(batch.details.filter(({ at }) => at >= cut))
  const upstreamId = (await names.upstreams.idsOf([upstream])).get(upstream) ?? 0
  const accounts = await names.accounts.idsOf(details.map(({ accountKey }) => accountKey))
  const apiNames = await names.apiNames.idsOf(details.map(({ apiName }) => apiName))
  const models = await names.models.idsOf(details.map(({ model }) => model))
  const providers = await names.providers.idsOf(details.map(providerOfUsage))
  await writer.makeRoom(details.map(({ at }) => at))
  const named = details.map((detail) => ({
    detail,
    members: {
      account: accounts.get(detail.accountKey) ?? 0,
      api: apiNames.get(detail.apiName) ?? 0,
      model: models.get(detail.model) ?? 0,
      provider: providers.get(providerOfUsage(detail)) ?? 0,
      upstream: upstreamId,
    },
  }))
  const rows = await withCauses(names.rates, await names.rates.rowsOf(named))
  return { batch, upstreamId, cut, rows }
}

/** The rows with the numbers of the causes of those that failed. */
async function withCauses(
  rates: RateNumbers,
  rows: readonly UsageRow[],
): Promise<readonly UsageRow[]> {
  const failed = rows.filter(({ detail }) => detail.failed)
  const ids = await rates.causeIds(
    failed.map(({ detail: { cause }, members }) => {
      const { status = 0, code = 'none' } = cause ?? {}
      return { providerId: members.provider, status, code }
    }),
  )
  let next = 0
  return rows.map((row) => {
    const causeId = row.detail.failed ? ids[next++] : undefined
    return causeId === undefined ? row : { ...row, causeId }
  })
}

/** Stores new requests from `cut` on, with their sums. Returns these rows and the number of late requests. Call inside a transaction. */
export async function addBatch(
  { db, rows: writer }: Pick<Engine, 'db' | 'rows'>,
  { batch, cut: preparedFrom, rows }: PreparedBatch,
  { cut, ratesUntil }: StoreBounds,
): Promise<{ readonly stored: readonly UsageRow[]; readonly expired: number }> {
  const { details, certainAt, receivedAt } = batch
  // Requests before the prepared cut are not prepared, even if the cut has moved back meanwhile.
  const from = epochMs(Math.max(cut, preparedFrom))
  const kept = rows.filter(({ detail }) => detail.at >= from)
  let sums = createBucketSums()
  // Usually all are new, and are added up while the database works.
  const stored = await writer.insert(kept, () => {
    sums = sumsOf(kept, ratesUntil)
  })
  if (stored.length < kept.length) sums = sumsOf(stored, ratesUntil)
  await writer.put(bucketsOf(sums, certainAt ?? receivedAt), 'add')
  await addCauses(db, stored)
  return { stored, expired: details.filter(({ at }) => at < from).length }
}

/**
 * Stores the reasons why the newest records were refused, never their values. Call inside a transaction that has already added counts, so that other
 * writers wait for it.
 */
export async function quarantine(
  db: Connection,
  records: readonly QuarantinedRecord[],
  { upstreamId, at }: { readonly upstreamId: number; readonly at: EpochMs },
): Promise<void> {
  if (records.length === 0) return
  const { quarantine: table } = db.tables
  const last = (await onlyValue(db, sql`SELECT max(${table.id}) AS value FROM ${table}`)) ?? 0
  const newest = records.slice(-QUARANTINE_MAX).map(({ reason, shape }, index) => ({
    id: last + index + 1,
    atMs: at,
    reason,
    shape,
    upstreamId,
  }))
  await insert(db, table, newest)
  await db.run(
    sql`DELETE FROM ${table} WHERE ${table.id} <= ${last + newest.length - QUARANTINE_MAX}`,
  )
}

function sumsOf(rows: readonly UsageRow[], ratesUntil: EpochMs | null): BucketSums {
  const sums = createBucketSums(ratesUntil ?? undefined)
  for (const { detail, members } of rows) sums.add(detail, members)
  return sums
}

/** Empties the sums into a list of buckets, without those already expired at `now`. */
export function bucketsOf(sums: BucketSums, now: EpochMs): readonly Bucket[] {
  const buckets: Bucket[] = []
  sums.drain(now, (place, sum) => void buckets.push({ place, sum }))
  return buckets
}

/** Requests with distinct keys, ordered by key; of several with one key the first stays. */
function distinctOf(details: readonly UsageDetail[]): readonly UsageDetail[] {
  const sorted = details.toSorted(
    (one, other) => one.at - other.at || (one.key < other.key ? -1 : one.key > other.key ? 1 : 0),
  )
  return sorted.filter((one, index) => {
    const before = sorted[index - 1]
    return before === undefined || before.at !== one.at || before.key !== one.key
  })
}

/**
 * Removes records with a NUL in a name, which not every engine can store. Such a record is refused and counted instead of being stored under another
 * name.
 */
export function refuseNul(batch: UsageBatch): UsageBatch {
  const details = batch.details.filter(
    ({ accountKey, apiName, model, provider }) =>
      ![accountKey, apiName, model, provider].some((name) => name?.includes('\0')),
  )
  const refusedCount = batch.details.length - details.length
  if (refusedCount === 0) return batch
  const refused = Array.from(
    { length: refusedCount },
    () => ({ reason: 'bad_name', shape: '{}' }) as const,
  )
  return { ...batch, details, quarantined: [...batch.quarantined, ...refused] }
}

/** Maximum of samples of quarantined records that are kept. */
const QUARANTINE_MAX = 200

/** Results of a batch's records, from the numbers of stored and late records. */
export function tallyOf(
  { details, quarantined }: UsageBatch,
  { stored, expired }: Pick<UsageTally, 'stored' | 'expired'>,
): UsageTally {
  return {
    seen: details.length + quarantined.length,
    stored,
    duplicate: details.length - stored - expired,
    quarantined: quarantined.length,
    expired,
  }
}

/** The gap of a pop during which the process died: everything since the last poll may be lost. */
export function interruptedPop(poppedAt: EpochMs, lastPollAt: EpochMs | null): UsageGap {
  return { from: lastPollAt ?? poppedAt, to: poppedAt, reason: 'stopped_before_commit' }
}
