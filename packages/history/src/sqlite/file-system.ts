import { readFileSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { epochMs } from '@svc/core'
import type { FileUse } from '@svc/core/service'
import type { Database } from '@svc/sqlite'
import { DAY_TIER_SECONDS, groupings } from '../usage/tiers.ts'

/** Least free space, in bytes and as a share of the file system; below both minimums nothing is stored. See docs/limits.md#history-store. */
const FREE_BYTES_MIN = 64 * 1024 * 1024
const FREE_SHARE_MIN = 0.02
const DAYS = 7

/** Free bytes of the path's file system, and the bytes left until storing stops, negative once it has stopped. */
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

/** Properties of a file system that decide whether SQLite can be used on it. */
interface FileSystem {
  /** `network`: locks are unreliable. `shared`: another machine may use the same folder, and its locks are not seen here. */
  readonly kind: 'local' | 'shared' | 'network'
  readonly name: string
}

/** File systems by their statfs number, from Linux and from drivers outside Linux. */
const KNOWN: ReadonlyMap<number, FileSystem> = new Map(
  (
    [
      [0x6969, 'network', 'NFS'],
      [0x517b, 'network', 'SMB'],
      [0xfe534d42, 'network', 'SMB'],
      [0xff534d42, 'network', 'CIFS'],
      [0x01021997, 'network', '9p'],
      [0x65735546, 'shared', 'FUSE'],
      [0x00c36400, 'shared', 'Ceph'],
      [0x5346414f, 'shared', 'AFS'],
      [0x6b414653, 'shared', 'AFS'],
      [0x73757245, 'shared', 'Coda'],
      [0x01161970, 'shared', 'GFS2'],
      [0x7461636f, 'shared', 'OCFS2'],
      [0x0bd00bd0, 'shared', 'Lustre'],
      [0x47504653, 'shared', 'GPFS'],
      [0x786f4256, 'shared', 'vboxsf'],
      [0xbacbacbc, 'shared', 'vmhgfs'],
      [0x7c7c6673, 'shared', 'prl_fs'],
    ] as const
  ).map(([type, kind, name]) => [type, { kind, name }]),
)
const LOCAL: FileSystem = { kind: 'local', name: 'local' }

/** File system of a file, or of the place for a missing one. `path` has no links. Throws the errors of node:fs. */
export function fileSystemOf(path: string): FileSystem {
  return fileSystemBy(statfsSync(dirname(path)).type, () => mountedAs(path, mountTable()))
}

/** File system by its statfs number. `mountedAs` names a file system in user space, because virtiofs and a local disk have the same number. */
export function fileSystemBy(type: number, mountedAs: () => string | null): FileSystem {
  const known = KNOWN.get(type) ?? LOCAL
  const name = (known.name === 'FUSE' ? mountedAs() : null) ?? known.name
  return name === 'fuseblk' ? LOCAL : { ...known, name }
}

/** Type of the mount that contains a path, as in `fuse.sshfs`; null if the table does not name it. See proc_pid_mountinfo(5). */
export function mountedAs(path: string, table: string): string | null {
  let found = { at: '', type: null as string | null }
  for (const line of table.split('\n')) {
    const at = (line.split(' ')[4] ?? '').replace(/\\(\d{3})/g, (_, octal) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    )
    const isAbove = at !== '' && `${path}/`.startsWith(at.endsWith('/') ? at : `${at}/`)
    // Of two mounts at one place the later hides the earlier.
    if (isAbove && at.length >= found.at.length)
      found = { at, type: / - (\S+)/.exec(line)?.[1] ?? null }
  }
  return found.type
}

/** Text of the mount table; empty if this system has none. */
function mountTable(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return ''
  }
}
