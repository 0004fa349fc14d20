import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { epochMs } from '@svc/core'
import type { FileUse } from '@svc/core/service'
import type { Database } from '@svc/sqlite'
import { DAY_TIER_SECONDS, groupings } from '../usage/tiers.ts'

/** Least free space, in bytes and as a share of the file system; below both minimums nothing is stored. See docs/limits.md#history-store. */
const FREE_BYTES_MIN = 64 * 1024 * 1024
const FREE_SHARE_MIN = 0.02
const DAYS = 7

/** Free bytes of the path's file system, and the bytes left until storing stops; storing stops below 0. */
export function spaceAt(path: string): Pick<FileUse, 'freeBytes' | 'roomBytes'> {
  const { bavail, blocks, bsize } = statfsSync(dirname(path))
  const freeBytes = bavail * bsize
  return {
    freeBytes,
    roomBytes: freeBytes - Math.min(FREE_BYTES_MIN, blocks * bsize * FREE_SHARE_MIN),
  }
}

/** Size and usage of the store in an open file. Throws if its tables are missing or of another version. */
export function fileUse(db: Database, path: string): FileUse {
  const number = (sql: string, ...values: readonly number[]) => {
    const found = db
      .prepare(sql)
      .pluck()
      .get(...values)
    return typeof found === 'number' ? found : null
  }
  const pages = (name: string) => Number(db.pragma(name, { simple: true }))
  const pageBytes = pages('page_size')
  const spareBytes = pages('freelist_count') * pageBytes
  const oldest = number('SELECT min(at_ms) FROM usage')
  const ofDays = `FROM rollups WHERE grouping = ${groupings.total} AND tier_seconds = ${DAY_TIER_SECONDS}`
  const oldestDay = Math.floor((oldest ?? 0) / 1000 / DAY_TIER_SECONDS) * DAY_TIER_SECONDS
  const { freeBytes, roomBytes } = spaceAt(path)
  return {
    freeBytes,
    roomBytes: roomBytes + spareBytes,
    usedBytes: pages('page_count') * pageBytes - spareBytes,
    requestCount:
      oldest === null
        ? 0
        : (number(`SELECT sum(requests) ${ofDays} AND bucket_s >= ?`, oldestDay) ?? 0),
    requestsPerDay: number(
      `SELECT avg(requests) FROM (SELECT requests ${ofDays} ORDER BY bucket_s DESC LIMIT ${DAYS})`,
    ),
    oldestRowAt: oldest === null ? null : epochMs(oldest),
  }
}
