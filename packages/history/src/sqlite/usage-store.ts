import { epochMs } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import type { UsageBatch, UsageStore, UsageTally } from '@svc/core/usage'
import type { Database } from '@svc/sqlite'
import { type Feed, feedSteps } from '../sql/feeds.ts'
import { recordGap } from '../sql/gaps.ts'
import { always } from '../sql/steps.ts'
import { refuseNul } from '../usage/refused-names.ts'
import { tallyOf } from '../usage/usage-tally.ts'
import type { Dictionaries } from './dictionary.ts'
import type { Meta } from './meta.ts'
import type { AtOnce } from './promised.ts'
import type { Transaction } from './quota-store.ts'
import { runningSteps, runSteps } from './run-steps.ts'
import type { UsageRows } from './usage-rows.ts'

export interface UsageStoreParts {
  readonly meta: Meta
  readonly dictionaries: Dictionaries
  readonly rows: UsageRows
  /** Throws HistoryError. */
  readonly transaction: Transaction
}

export function createUsageStore(
  db: Database,
  { meta, dictionaries, rows, transaction }: UsageStoreParts,
  upstream: UpstreamName,
): AtOnce<UsageStore> {
  const feed = runningSteps<Feed>(db, feedSteps(upstream, always))
  const upstreamId = () => dictionaries.upstreams.idOf(upstream)
  const rename = db.prepare('UPDATE accounts SET title = ? WHERE id = ? AND title <> ?')
  return {
    record: (batch, position) =>
      transaction(() => {
        const tally = recordBatch(rows, meta, refuseNul(batch), upstream)
        feed.setPopMark(upstreamId(), null)
        if (position !== undefined) {
          const { lastPollAt } = position
          // The history is watched since the first poll of any proxy.
          if (lastPollAt !== null) meta.setFirst({ first_poll_ms: lastPollAt })
          feed.moveTo(upstreamId(), position)
        }
        return tally
      }),
    markPop: (at) => transaction(() => void feed.setPopMark(upstreamId(), at)),
    clearPop: () => transaction(() => void feed.setPopMark(upstreamId(), null)),
    recordGap: (gap) => transaction(() => feed.endPop(upstreamId(), gap)),
    recordMissing: (requestCount, gap) =>
      transaction(() => {
        runSteps(db, recordGap(upstreamId(), gap))
        meta.add({ missing: requestCount })
      }),
    nameAccounts: (titles) =>
      transaction(() => {
        for (const [key, title] of titles) rename.run(title, dictionaries.accounts.idOf(key), title)
      }),
    endInterruptedPop: () =>
      transaction(() => (feed.popMark() === null ? null : feed.endInterruptedPop(upstreamId()))),
    position: feed.position,
  }
}

function recordBatch(
  rows: UsageRows,
  meta: Meta,
  batch: UsageBatch,
  upstream: UpstreamName,
): UsageTally {
  const { stored, expired } = rows.add(batch, {
    upstream,
    cut: meta.read().instant('cut_ms') ?? epochMs(0),
  })
  rows.quarantine(batch.quarantined, { upstream, at: batch.receivedAt })
  const tally = tallyOf(batch, { stored, expired })
  meta.add({ ...tally, saturated: batch.saturatedCount })
  meta.set({ last_write_ms: batch.receivedAt })
  return tally
}
