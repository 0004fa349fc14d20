import { type EpochMs, epochMs } from '@svc/core'
import type { QuarantinedRecord, UsageGap, UsageStore } from '@svc/core/usage'
import type { Dictionaries } from './dictionary.ts'
import type { Meta } from './meta.ts'
import { createMissedTime } from './missed-time.ts'
import { ormOf } from './orm.ts'
import { createRollupSums } from './rollups.ts'
import type { Database, Statement } from './sqlite.ts'
import { gaps } from './tables.ts'

/** Samples of quarantined records that are kept. */
const QUARANTINE_MAX = 200

export interface UsageStoreParts {
  readonly meta: Meta
  readonly dictionaries: Dictionaries
  /** Checks that the store can be written at all, and gives every failure its name. */
  readonly write: <Result>(work: () => Result) => Result
}

export function createUsageStore(
  db: Database,
  { meta, dictionaries, write }: UsageStoreParts,
): UsageStore {
  const { accounts, apiNames, models } = dictionaries
  const orm = ormOf(db)
  const insert: Statement = db.prepare(
    'INSERT OR IGNORE INTO usage (at_ms, key, account_id, api_name_id, model_id, tokens, failed) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const quarantineOne = db.prepare('INSERT INTO quarantine (at_ms, reason, shape) VALUES (?, ?, ?)')
  const trimQuarantine = db.prepare(
    `DELETE FROM quarantine WHERE id <= (SELECT max(id) FROM quarantine) - ${QUARANTINE_MAX}`,
  )
  const rename = db.prepare('UPDATE accounts SET title = ? WHERE id = ? AND title <> ?')
  const sums = createRollupSums(db)
  const missedMs = createMissedTime(db)

  const transaction: Dictionaries['transaction'] = (work) => {
    try {
      return write(() => dictionaries.transaction(work))
    } catch (error) {
      sums.discard()
      throw error
    }
  }

  const quarantine = (records: readonly QuarantinedRecord[], at: EpochMs) => {
    for (const { reason, shape } of records.slice(-QUARANTINE_MAX))
      quarantineOne.run(at, reason, shape)
    if (records.length > 0) trimQuarantine.run()
  }

  const insertGap = ({ from, to, reason }: UsageGap) => {
    orm.insert(gaps).values({ fromMs: from, toMs: to, reason }).onConflictDoNothing().run()
  }
  const endPopInGap = (gap: UsageGap) => {
    insertGap(gap)
    meta.clear('pop_mark_ms')
  }

  return {
    record(batch, position) {
      return transaction(() => {
        const cut = meta.instant('cut_ms') ?? epochMs(0)
        let stored = 0
        let expired = 0
        for (const detail of batch.details) {
          if (detail.at < cut) {
            expired += 1
            continue
          }
          const members = {
            account: accounts.idOf(detail.accountKey),
            api: apiNames.idOf(detail.apiName),
            model: models.idOf(detail.model),
          }
          const { changes } = insert.run(
            detail.at,
            detail.key,
            members.account,
            members.api,
            members.model,
            detail.tokens,
            detail.failed ? 1 : 0,
          )
          if (changes === 0) continue
          stored += 1
          sums.add(detail, members)
        }
        sums.write(batch.certainAt ?? batch.receivedAt)
        quarantine(batch.quarantined, batch.receivedAt)
        const quarantined = batch.quarantined.length
        const tally = {
          seen: batch.details.length + quarantined,
          stored,
          duplicate: batch.details.length - stored - expired,
          quarantined,
          expired,
        }
        meta.add({ ...tally, saturated: batch.saturatedCount })
        meta.set('last_write_ms', batch.receivedAt)
        meta.clear('pop_mark_ms')
        if (position?.lastPollAt != null) {
          if (meta.text('first_poll_ms') === null) meta.set('first_poll_ms', position.lastPollAt)
          meta.set('last_poll_ms', position.lastPollAt)
        }
        if (position?.treeRequests != null) meta.set('tree_requests', position.treeRequests)
        return tally
      })
    },
    markPop: (at) => transaction(() => meta.set('pop_mark_ms', at)),
    clearPop: () => transaction(() => meta.clear('pop_mark_ms')),
    recordGap: (gap) => transaction(() => endPopInGap(gap)),
    recordMissing: (requestCount, gap) =>
      transaction(() => {
        insertGap(gap)
        meta.add({ missing: requestCount })
      }),
    nameAccounts: (titles) =>
      transaction(() => {
        for (const [key, title] of titles) rename.run(title, accounts.idOf(key), title)
      }),
    endInterruptedPop: () =>
      transaction(() => {
        const poppedAt = meta.instant('pop_mark_ms')
        if (poppedAt === null) return null
        const from = meta.instant('last_poll_ms') ?? poppedAt
        const gap: UsageGap = { from, to: poppedAt, reason: 'stopped_before_commit' }
        endPopInGap(gap)
        return gap
      }),
    missedMs,
    position: () => ({
      lastPollAt: meta.instant('last_poll_ms'),
      treeRequests: meta.text('tree_requests') === null ? null : meta.count('tree_requests'),
    }),
  }
}
