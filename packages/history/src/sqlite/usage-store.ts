import { epochMs } from '@svc/core'
import type { FeedPosition, UsageBatch, UsageGap, UsageStore, UsageTally } from '@svc/core/usage'
import type { Dictionaries } from './dictionary.ts'
import type { Meta } from './meta.ts'
import { ormOf } from './orm.ts'
import type { AtOnce } from './promised.ts'
import type { Database } from './sqlite.ts'
import { gaps } from './tables.ts'
import { createUsageRows, type UsageRows } from './usage-rows.ts'

export interface UsageStoreParts {
  readonly meta: Meta
  readonly dictionaries: Dictionaries
  /** Checks that the store can be written at all, and gives every failure its name. */
  readonly write: <Result>(work: () => Result) => Result
}

export function createUsageStore(
  db: Database,
  { meta, dictionaries, write }: UsageStoreParts,
): AtOnce<UsageStore> {
  const rows = createUsageRows(db, dictionaries)
  const rename = db.prepare('UPDATE accounts SET title = ? WHERE id = ? AND title <> ?')
  const insertGap = ({ from, to, reason }: UsageGap) => {
    ormOf(db).insert(gaps).values({ fromMs: from, toMs: to, reason }).onConflictDoNothing().run()
  }
  const endPopInGap = (gap: UsageGap) => {
    insertGap(gap)
    meta.clear('pop_mark_ms')
  }
  const transaction: Dictionaries['transaction'] = (work) => {
    try {
      return write(() => dictionaries.transaction(work))
    } catch (error) {
      rows.discard()
      throw error
    }
  }

  return {
    record: (batch, position) =>
      transaction(() => {
        const tally = recordBatch(rows, meta, batch)
        meta.clear('pop_mark_ms')
        if (position !== undefined) setPosition(meta, position)
        return tally
      }),
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
        for (const [key, title] of titles) rename.run(title, dictionaries.accounts.idOf(key), title)
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
    position: () => ({
      lastPollAt: meta.instant('last_poll_ms'),
      treeRequests: meta.text('tree_requests') === null ? null : meta.count('tree_requests'),
    }),
  }
}

function recordBatch(rows: UsageRows, meta: Meta, batch: UsageBatch): UsageTally {
  const { stored, expired } = rows.add(batch, meta.instant('cut_ms') ?? epochMs(0))
  rows.quarantine(batch.quarantined, batch.receivedAt)
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
  return tally
}

function setPosition(meta: Meta, { lastPollAt, treeRequests }: FeedPosition): void {
  if (lastPollAt !== null) {
    if (meta.text('first_poll_ms') === null) meta.set('first_poll_ms', lastPollAt)
    meta.set('last_poll_ms', lastPollAt)
  }
  if (treeRequests !== null) meta.set('tree_requests', treeRequests)
}
