import { statSync } from 'node:fs'
import { type EpochMs, epochMs } from '@svc/core'
import type { Database } from '@svc/sqlite'
import { earliestOf, observedSince, watchedSince } from '../usage/extent.ts'
import type { UsageExtent } from '../usage/stored-usage.ts'
import { DAY_TIER_SECONDS, groupings } from '../usage/tiers.ts'
import { createMissedStretches, createMissedTime } from './gap-reader.ts'
import type { Meta } from './meta.ts'
import type { AtOnce } from './promised.ts'

export function createUsageExtent(db: Database, path: string, meta: Meta): AtOnce<UsageExtent> {
  const firstRow = db.prepare('SELECT min(at_ms) FROM usage').pluck()
  const lastRow = db.prepare('SELECT max(at_ms) FROM usage WHERE at_ms < ?').pluck()
  const firstDay = db
    .prepare('SELECT min(bucket_s) FROM rollups WHERE grouping = ? AND tier_seconds = ?')
    .pluck()
  const missedMs = createMissedTime(db)
  const missedSince = createMissedStretches(db)

  const earliest = (): EpochMs | null =>
    earliestOf(
      firstRow.get() as number | null,
      firstDay.get(groupings.total, DAY_TIER_SECONDS) as number | null,
    )
  const latest = (now: EpochMs): EpochMs | null => {
    const at = lastRow.get(now) as number | null
    return at === null ? null : epochMs(at)
  }
  return {
    earliest,
    rowsSince: () => meta.instant('cut_ms'),
    latest,
    watch: (from) => ({
      since: watchedSince(earliest(), meta.instant('first_poll_ms')),
      missed: missedSince(from),
    }),
    history(now) {
      const since = observedSince(meta.instant('first_poll_ms'), now)
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
