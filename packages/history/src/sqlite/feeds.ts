import { type EpochMs, epochMs } from '@svc/core'
import type { FeedPosition } from '@svc/core/usage'
import type { Database } from '@svc/sqlite'
import type { Dictionary } from './dictionary.ts'

/** Position and pop mark of one proxy's records. Call writing methods inside a transaction. */
export interface Feed {
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
