import type { EpochMs } from '@svc/core'
import type { QuarantinedRecord, UsageBatch } from '@svc/core/usage'
import type { Dictionaries } from './dictionary.ts'
import { createRollupSums } from './rollups.ts'
import type { Database } from './sqlite.ts'

/** Samples of quarantined records that are kept. */
const QUARANTINE_MAX = 200

/** Where single records go. Everything but `discard` is called inside a transaction. */
export interface UsageRows {
  /** Stores what is not there yet, with its sums, unless it is from before `cut`. Counts what was stored and what came too late. */
  add(batch: UsageBatch, cut: EpochMs): { readonly stored: number; readonly expired: number }
  /** Keeps why the newest of these could not be stored, never their values. */
  quarantine(records: readonly QuarantinedRecord[], at: EpochMs): void
  /** Forgets the sums of a transaction that has failed. */
  discard(): void
}

export function createUsageRows(
  db: Database,
  { accounts, apiNames, models }: Pick<Dictionaries, 'accounts' | 'apiNames' | 'models'>,
): UsageRows {
  const insert = db.prepare<unknown[]>(
    'INSERT OR IGNORE INTO usage (at_ms, key, account_id, api_name_id, model_id, tokens, failed) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const quarantineOne = db.prepare('INSERT INTO quarantine (at_ms, reason, shape) VALUES (?, ?, ?)')
  const trimQuarantine = db.prepare(
    `DELETE FROM quarantine WHERE id <= (SELECT max(id) FROM quarantine) - ${QUARANTINE_MAX}`,
  )
  const sums = createRollupSums(db)
  return {
    add({ details, certainAt, receivedAt }, cut) {
      let stored = 0
      let expired = 0
      for (const detail of details) {
        const { at, key, tokens, failed } = detail
        if (at < cut) {
          expired += 1
          continue
        }
        const account = accounts.idOf(detail.accountKey)
        const api = apiNames.idOf(detail.apiName)
        const model = models.idOf(detail.model)
        const { changes } = insert.run(at, key, account, api, model, tokens, failed ? 1 : 0)
        if (changes === 0) continue
        stored += 1
        sums.add(detail, { account, api, model })
      }
      sums.write(certainAt ?? receivedAt)
      return { stored, expired }
    },
    quarantine(records, at) {
      for (const { reason, shape } of records.slice(-QUARANTINE_MAX))
        quarantineOne.run(at, reason, shape)
      if (records.length > 0) trimQuarantine.run()
    },
    discard: sums.discard,
  }
}
