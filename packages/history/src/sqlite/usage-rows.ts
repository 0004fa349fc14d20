import type { EpochMs } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import {
  providerOfUsage,
  type QuarantinedRecord,
  type UsageBatch,
  type UsageDetail,
} from '@svc/core/usage'
import type { Database, Statement } from '@svc/sqlite'
import { droppedRows } from '../contract/history-error.ts'
import { statedColumns, statedValues } from '../usage/measures.ts'
import { QUARANTINE_MAX } from '../usage/usage-tally.ts'
import type { Dictionaries } from './dictionary.ts'
import { createRollupSums } from './rollups.ts'

/** Writes single records. Call everything but `discard` inside a transaction. */
export interface UsageRows {
  /** Stores new requests not before `cut`, with their sums. Counts the stored and the late ones. */
  add(
    batch: UsageBatch,
    from: { readonly upstream: UpstreamName; readonly cut: EpochMs },
  ): { readonly stored: number; readonly expired: number }
  /** Stores why the newest records were refused, never their values. */
  quarantine(
    records: readonly QuarantinedRecord[],
    from: { readonly upstream: UpstreamName; readonly at: EpochMs },
  ): void
  /** Drops the sums of a failed transaction. */
  discard(): void
}

/** Statement that stores a request unless it is there. What a record may leave out follows the provider, in the order of `statedColumns`. */
export function prepareUsage(db: Database): Statement {
  const columns = `at_ms, key, account_id, api_name_id, model_id, tokens, failed, upstream_id, provider_id,
    ${statedColumns.join(', ')}`
  return db.prepare(
    `INSERT OR IGNORE INTO usage (${columns}) VALUES (${columns.replaceAll(/\w+/g, '?')})`,
  )
}

export function createUsageRows(db: Database, names: Dictionaries): UsageRows {
  const insert = prepareUsage(db)
  const find = db.prepare('SELECT 1 FROM usage WHERE at_ms = ? AND key = ?').pluck()
  const quarantineOne = db.prepare(
    'INSERT INTO quarantine (at_ms, reason, shape, upstream_id) VALUES (?, ?, ?, ?)',
  )
  const trimQuarantine = db.prepare(
    `DELETE FROM quarantine WHERE id <= (SELECT max(id) FROM quarantine) - ${QUARANTINE_MAX}`,
  )
  const sums = createRollupSums(db)
  /** Stores one request; true if it was new. */
  const addOne = (detail: UsageDetail, upstream: number): boolean => {
    const { at, key, tokens, failed } = detail
    const account = names.accounts.idOf(detail.accountKey)
    const api = names.apiNames.idOf(detail.apiName)
    const model = names.models.idOf(detail.model)
    const provider = names.providers.idOf(providerOfUsage(detail))
    const { changes } = insert.run(
      at,
      key,
      account,
      api,
      model,
      tokens,
      failed ? 1 : 0,
      upstream,
      detail.provider == null ? null : provider,
      ...statedValues(detail),
    )
    if (changes > 0) sums.add(detail, { account, api, model, upstream, provider })
    else if (find.get(at, key) === undefined) throw droppedRows('sqlite')
    return changes > 0
  }
  return {
    add({ details, certainAt, receivedAt }, { upstream, cut }) {
      let stored = 0
      let expired = 0
      const upstreamId = names.upstreams.idOf(upstream)
      for (const detail of details) {
        if (detail.at < cut) expired += 1
        else if (addOne(detail, upstreamId)) stored += 1
      }
      sums.write(certainAt ?? receivedAt)
      return { stored, expired }
    },
    quarantine(records, { upstream, at }) {
      if (records.length === 0) return
      const upstreamId = names.upstreams.idOf(upstream)
      for (const { reason, shape } of records.slice(-QUARANTINE_MAX))
        quarantineOne.run(at, reason, shape, upstreamId)
      trimQuarantine.run()
    },
    discard: sums.discard,
  }
}
