import { type EpochMs, epochMs } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import {
  providerOfUsage,
  type QuarantinedRecord,
  type UsageBatch,
  type UsageDetail,
  type UsageTally,
} from '@svc/core/usage'
import { droppedRows } from '../contract/history-error.ts'
import { type BucketSums, createBucketSums, type MembersOfRequest } from '../usage/bucket-sums.ts'
import { statedColumns, statedValues } from '../usage/measures.ts'
import { QUARANTINE_MAX } from '../usage/usage-tally.ts'
import { columnOf } from './column-list.ts'
import type { Dictionaries } from './dictionary.ts'
import type { Partitions } from './partitions.ts'
import { writeSums } from './rollups.ts'
import type { Session } from './session.ts'
import { storedText } from './stored-text.ts'

/** A batch whose names have numbers and whose days exist. */
export interface PreparedBatch {
  readonly batch: UsageBatch
  readonly upstreamId: number
  /** Requests before this time are not prepared. */
  readonly cut: EpochMs
  /** Distinct requests in the order of the table's key, so that two writers never wait for each other. */
  readonly rows: readonly UsageRow[]
}

export interface UsageRow {
  readonly detail: UsageDetail
  readonly members: MembersOfRequest
}

export interface UsageRows {
  /** Learns names and days for requests not before `cut`. Call before a transaction. Rejects with HistoryError. */
  prepare(
    batch: UsageBatch,
    from: { readonly upstream: UpstreamName; readonly cut: EpochMs },
  ): Promise<PreparedBatch>
  /** Stores new requests not before `cut`, with their sums. Counts the stored and the late ones. Call inside a transaction. */
  add(prepared: PreparedBatch, cut: EpochMs): Promise<Pick<UsageTally, 'stored' | 'expired'>>
  /**
   * Stores why the newest records were refused, never their values. Call inside a transaction that has already added counts: others then wait for it.
   */
  quarantine(
    records: readonly QuarantinedRecord[],
    from: { readonly upstreamId: number; readonly at: EpochMs },
  ): Promise<void>
}

export function createUsageRows(
  session: Session,
  names: Dictionaries,
  partitions: Partitions,
): UsageRows {
  return {
    async prepare(batch, { upstream, cut }) {
      const details = distinctOf(batch.details.filter(({ at }) => at >= cut))
      const upstreamId = numberIn(await names.upstreams.idsOf([upstream]), upstream)
      const accounts = await names.accounts.idsOf(details.map(({ accountKey }) => accountKey))
      const apiNames = await names.apiNames.idsOf(details.map(({ apiName }) => apiName))
      const models = await names.models.idsOf(details.map(({ model }) => model))
      const providers = await names.providers.idsOf(details.map(providerOfUsage))
      await partitions.ensure(details.map(({ at }) => at))
      const rows = details.map((detail) => ({
        detail,
        members: {
          account: numberIn(accounts, detail.accountKey),
          api: numberIn(apiNames, detail.apiName),
          model: numberIn(models, detail.model),
          provider: numberIn(providers, providerOfUsage(detail)),
          upstream: upstreamId,
        },
      }))
      return { batch, upstreamId, cut, rows }
    },
    async add({ batch, cut: preparedFrom, rows }, cut) {
      const { details, certainAt, receivedAt } = batch
      // Requests before the prepared cut are not prepared, even if the cut has moved back meanwhile.
      const from = epochMs(Math.max(cut, preparedFrom))
      const kept = rows.filter(({ detail }) => detail.at >= from)
      const inserting = insertRows(session, kept)
      // Usually all are new: they are summed up while the database stores them.
      const sumsOfAll = sumsOf(kept)
      const stored = await inserting
      const sums = stored.length === kept.length ? sumsOfAll : sumsOf(stored)
      await writeSums(session, sums, certainAt ?? receivedAt)
      return { stored: stored.length, expired: details.filter(({ at }) => at < from).length }
    },
    async quarantine(records, { upstreamId, at }) {
      if (records.length === 0) return
      const newest = records.slice(-QUARANTINE_MAX)
      await session.run(
        `INSERT INTO svc_quota_monitor.quarantine (id, at_ms, reason, shape, upstream_id)
         SELECT (SELECT coalesce(max(id), 0) FROM svc_quota_monitor.quarantine) + number, $1, reason, shape, $2
         FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS new (reason, shape, number)`,
        [
          at,
          upstreamId,
          newest.map(({ reason }) => reason),
          newest.map(({ shape }) => storedText(shape)),
        ],
      )
      await session.run(
        'DELETE FROM svc_quota_monitor.quarantine WHERE id <= (SELECT max(id) FROM svc_quota_monitor.quarantine) - $1',
        [QUARANTINE_MAX],
      )
    },
  }
}

function sumsOf(rows: readonly UsageRow[]): BucketSums {
  const sums = createBucketSums()
  for (const { detail, members } of rows) sums.add(detail, members)
  return sums
}

const placeOf = (at: number, key: bigint | string): string => `${at} ${key}`

/** Requests with distinct keys, in the order of the keys; the first one of each stays. */
function distinctOf(details: readonly UsageDetail[]): readonly UsageDetail[] {
  const sorted = details.toSorted(
    (one, other) => one.at - other.at || (one.key < other.key ? -1 : one.key > other.key ? 1 : 0),
  )
  return sorted.filter((one, index) => {
    const before = sorted[index - 1]
    return before === undefined || before.at !== one.at || before.key !== one.key
  })
}

function numberIn(ids: ReadonlyMap<string, number>, name: string): number {
  return ids.get(name) ?? 0
}

/** Stores distinct requests in the order of the table's key and returns the new ones. Call inside a transaction. */
export async function insertRows(
  session: Session,
  rows: readonly UsageRow[],
): Promise<readonly UsageRow[]> {
  if (rows.length === 0) return []
  const detailColumn = (value: (detail: UsageDetail) => number | bigint | boolean | null) =>
    columnOf(rows, ({ detail }) => value(detail))
  const memberColumn = (member: keyof MembersOfRequest) =>
    columnOf(rows, ({ members }) => members[member])
  const stated = rows.map(({ detail }) =>
    statedValues({
      ...detail,
      latencyMs: durationOf(detail.latencyMs),
      firstTokenMs: durationOf(detail.firstTokenMs),
    }),
  )
  const inserted = await session.rows<{ at_ms: number; key: string }>(INSERT, [
    detailColumn(({ at }) => at),
    detailColumn(({ key }) => key),
    memberColumn('account'),
    memberColumn('api'),
    memberColumn('model'),
    memberColumn('upstream'),
    columnOf(rows, ({ detail, members }) => (detail.provider == null ? null : members.provider)),
    detailColumn(({ failed }) => failed),
    detailColumn(({ tokens }) => tokens),
    ...statedColumns.map((_, index) => columnOf(stated, (values) => values[index] ?? null)),
  ])
  if (inserted.length === rows.length) return rows
  const places = new Set(inserted.map(({ at_ms, key }) => placeOf(at_ms, key)))
  const isNew = ({ detail }: UsageRow) => places.has(placeOf(detail.at, detail.key))
  const others = rows.filter((row) => !isNew(row))
  const [found] = await session.rows<{ count: number }>(COUNT_OF, [
    columnOf(others, ({ detail }) => detail.at),
    columnOf(others, ({ detail }) => detail.key),
  ])
  if (found?.count !== others.length) throw droppedRows('postgres')
  return rows.filter(isNew)
}

const COUNT_OF = `SELECT count(*)::int AS count FROM svc_quota_monitor.usage
  JOIN unnest($1::bigint[], $2::bigint[]) AS asked (at_ms, key) USING (at_ms, key)`

const INSERT = `INSERT INTO svc_quota_monitor.usage (at_ms, key, account_id, api_name_id, model_id, upstream_id, provider_id, failed, tokens,
    ${statedColumns.join(', ')})
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::int[], $5::int[], $6::smallint[], $7::smallint[], $8::boolean[], $9::bigint[],
    ${statedColumns.map((_, index) => `$${index + 10}::bigint[]`).join(', ')})
  ON CONFLICT DO NOTHING RETURNING at_ms, key::text`

/** Largest value of the 32-bit column: 24 days. */
const DURATION_MS_MAX = 2 ** 31 - 1

function durationOf(milliseconds: number | null | undefined): number | null {
  return milliseconds == null ? null : Math.min(milliseconds, DURATION_MS_MAX)
}
