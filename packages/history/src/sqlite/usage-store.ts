import { type EpochMs, epochMs } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import {
  type FeedPosition,
  laterOf,
  type UsageBatch,
  type UsageGap,
  type UsageStore,
  type UsageTally,
} from '@svc/core/usage'
import type { Database } from '@svc/sqlite'
import { refuseNul } from '../usage/refused-names.ts'
import { interruptedPop, tallyOf } from '../usage/usage-tally.ts'
import type { Dictionaries, Dictionary } from './dictionary.ts'
import type { Meta } from './meta.ts'
import type { AtOnce } from './promised.ts'
import type { UsageRows } from './usage-rows.ts'

export interface UsageStoreParts {
  readonly meta: Meta
  readonly dictionaries: Dictionaries
  readonly rows: UsageRows
  /** Runs a write after a check that the store can be written. Failures become HistoryError. */
  readonly write: <Result>(work: () => Result) => Result
}

/** The usage of one proxy in an open database. */
export function createUsageStore(
  db: Database,
  { meta, dictionaries, rows, write }: UsageStoreParts,
  upstream: UpstreamName,
): AtOnce<UsageStore> {
  const feed = createFeed(db, dictionaries.upstreams, upstream)
  const rename = db.prepare('UPDATE accounts SET title = ? WHERE id = ? AND title <> ?')
  const addGap = db.prepare(
    'INSERT OR IGNORE INTO gaps (upstream_id, from_ms, to_ms, reason) VALUES (?, ?, ?, ?)',
  )
  const insertGap = ({ from, to, reason }: UsageGap) =>
    void addGap.run(dictionaries.upstreams.idOf(upstream), from, to, reason)
  const endPopInGap = (gap: UsageGap) => {
    insertGap(gap)
    feed.setPopMark(null)
    feed.moveTo({ lastPollAt: laterOf(feed.position().lastPollAt, gap.to), treeRequests: null })
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
        const tally = recordBatch(rows, meta, refuseNul(batch), upstream)
        feed.setPopMark(null)
        if (position !== undefined) {
          const { lastPollAt } = position
          // The history is watched since the first poll of any proxy.
          if (lastPollAt !== null) meta.setFirst({ first_poll_ms: lastPollAt })
          feed.moveTo(position)
        }
        return tally
      }),
    markPop: (at) => transaction(() => feed.setPopMark(at)),
    clearPop: () => transaction(() => feed.setPopMark(null)),
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
        const poppedAt = feed.popMark()
        if (poppedAt === null) return null
        const gap = interruptedPop(poppedAt, feed.position().lastPollAt)
        endPopInGap(gap)
        return gap
      }),
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

/** Position and pop mark of one proxy's records. Call writing methods inside a transaction. */
interface Feed {
  position(): FeedPosition
  /** Stores a position; null keeps the old value. */
  moveTo(position: FeedPosition): void
  /** Time of the pop under way; null if none is. */
  popMark(): EpochMs | null
  setPopMark(at: EpochMs | null): void
}

interface FeedRow {
  readonly last_poll_ms: number | null
  readonly pop_mark_ms: number | null
  readonly tree_requests: number | null
}

const COLUMNS = ['last_poll_ms', 'pop_mark_ms', 'tree_requests'] as const

export function createFeed(db: Database, upstreams: Dictionary, upstream: string): Feed {
  const read = db.prepare(
    `SELECT ${COLUMNS.join(', ')} FROM feeds WHERE upstream_id = (SELECT id FROM upstreams WHERE name = ?)`,
  )
  const setters = new Map(
    COLUMNS.map((column) => [
      column,
      db.prepare(
        `INSERT INTO feeds (upstream_id, ${column}) VALUES (?, ?) ON CONFLICT DO UPDATE SET ${column} = excluded.${column}`,
      ),
    ]),
  )
  const row = () => read.get(upstream) as FeedRow | undefined
  const set = (column: (typeof COLUMNS)[number], value: number | null) =>
    void setters.get(column)?.run(upstreams.idOf(upstream), value)
  return {
    position() {
      const found = row()
      return {
        lastPollAt: instantOf(found?.last_poll_ms),
        treeRequests: found?.tree_requests ?? null,
      }
    },
    moveTo({ lastPollAt, treeRequests }) {
      if (lastPollAt !== null) set('last_poll_ms', lastPollAt)
      if (treeRequests !== null) set('tree_requests', treeRequests)
    },
    popMark: () => instantOf(row()?.pop_mark_ms),
    setPopMark: (at) => set('pop_mark_ms', at),
  }
}

function instantOf(value: number | null | undefined): EpochMs | null {
  return value == null ? null : epochMs(value)
}
