import { statSync } from 'node:fs'
import { type EpochMs, epochMs } from '@svc/core'
import type { UsageExtent } from '../usage/stored-usage.ts'
import { DAY_TIER_SECONDS, groupings } from '../usage/tiers.ts'
import { createMissedStretches, createMissedTime } from './gap-reader.ts'
import type { Meta } from './meta.ts'
import type { AtOnce } from './promised.ts'
import type { Database } from './sqlite.ts'

const DAY_MS = 86_400_000
const COVERAGE_DAYS = 30

export function createUsageExtent(db: Database, path: string, meta: Meta): AtOnce<UsageExtent> {
  const firstRow = db.prepare('SELECT min(at_ms) FROM usage').pluck()
  const lastRow = db.prepare('SELECT max(at_ms) FROM usage WHERE at_ms < ?').pluck()
  const firstDay = db
    .prepare('SELECT min(bucket_s) FROM rollups WHERE grouping = ? AND tier_seconds = ?')
    .pluck()
  const missedMs = createMissedTime(db)
  const missedSince = createMissedStretches(db)

  const earliest = (): EpochMs | null => {
    const row = firstRow.get() as number | null
    const dayS = firstDay.get(groupings.total, DAY_TIER_SECONDS) as number | null
    if (dayS === null) return row === null ? null : epochMs(row)
    // Days of which only the rollup is left begin with the day.
    return epochMs(row === null || dayS * 1000 + DAY_MS <= row ? dayS * 1000 : row)
  }
  const latest = (now: EpochMs): EpochMs | null => {
    const at = lastRow.get(now) as number | null
    return at === null ? null : epochMs(at)
  }
  return {
    earliest,
    latest,
    watch(from) {
      const known = [earliest(), meta.instant('first_poll_ms')].filter((at) => at !== null)
      const since = known.length === 0 ? null : epochMs(Math.min(...known))
      return { since, missed: missedSince(from) }
    },
    history(now) {
      const first = meta.instant('first_poll_ms')
      const since = first === null ? now : epochMs(Math.max(first, now - COVERAGE_DAYS * DAY_MS))
      return {
        earliest: earliest(),
        latest: latest(now),
        databaseBytes: fileBytes(path) + fileBytes(`${path}-wal`),
        lastWriteAt: meta.instant('last_write_ms'),
        duplicates: meta.count('duplicate'),
        missing: meta.count('missing'),
        observedSeconds: Math.max(0, (now - since) / 1000),
        gapSeconds: missedMs(since, now) / 1000,
      }
    },
  }
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
