import type { UpstreamName } from '@svc/core/service'
import type { BackupRow, BackupTable } from '../backup/format/backup-format.ts'
import type { TablePart } from '../backup/format/backup-lines.ts'
import type { BackupLine } from '../backup/format/backup-reader.ts'
import type { ImportTarget } from '../backup/format/import-target.ts'
import type { FileSource } from '../backup/sqlite/sqlite-source.ts'
import type { ImportNames } from '../backup/target/import-names.ts'
import { bucketOf, rateBuckets } from '../backup/target/import-target.ts'
import type { Session } from '../postgres/session.ts'
import { measuresOf, measuresOfRow } from '../usage/measures.ts'
import { DAY_TIER_SECONDS, groupings } from '../usage/tiers.ts'
import { HOUR, HOUR_SECONDS, type Sums, sumsOf } from './move-database.ts'

export interface MovedNames {
  instance(name: string): string
  upstream(name: UpstreamName): UpstreamName
}

/** A file at one moment, the database it is moved to, and the names on both sides. */
export interface MoveSides {
  readonly file: FileSource
  readonly session: Session
  readonly target: ImportTarget
  readonly names: MovedNames
  readonly ids: ImportNames
}

export interface FileFacts {
  readonly meta: ReadonlyMap<string, string>
  /** Start time of the newest request; null without rows. */
  readonly newestMs: number | null
  readonly upstreams: readonly UpstreamName[]
  /** Days with usage, newest last. */
  readonly days: readonly { readonly startMs: number; readonly requests: number }[]
}

export async function factsOf({ rows }: FileSource): Promise<FileFacts> {
  return {
    meta: new Map(rows<readonly [string, string]>('SELECT name, value FROM meta')),
    newestMs: rows<readonly [number | null]>('SELECT max(at_ms) FROM usage')[0]?.[0] ?? null,
    upstreams: rows<readonly [string]>('SELECT name FROM upstreams ORDER BY id').map(
      ([name]) => name,
    ),
    days: rows<readonly [number, number]>(
      `SELECT bucket_s * 1000, requests FROM rollups WHERE grouping = ${groupings.total} AND tier_seconds = ${DAY_TIER_SECONDS} ORDER BY bucket_s`,
    ).map(([startMs, requests]) => ({ startMs, requests })),
  }
}

export function* linesOf<Table extends BackupTable>(
  file: FileSource,
  table: Table,
  names: MovedNames,
  part: Partial<TablePart> = {},
): Generator<BackupLine<Table>> {
  for (const page of file.pages(table, part))
    for (const line of page) yield { table, row: rename(table, JSON.parse(line), names), number: 0 }
}

/** Index of the instance, and of the proxy, in the rows of each table. */
const INSTANCE_AT: Partial<Record<BackupTable, number>> = {
  accounts: 0,
  usage: 2,
  days: 2,
  rates: 2,
  failureCauses: 3,
}
const UPSTREAM_AT: Partial<Record<BackupTable, number>> = {
  usage: 8,
  gaps: 3,
  rates: 5,
  failureCauses: 2,
}

function rename<Table extends BackupTable>(
  table: Table,
  row: unknown[],
  names: MovedNames,
): BackupRow<Table> {
  const instanceAt = INSTANCE_AT[table]
  const upstreamAt = table === 'days' && row[0] === 'upstream' ? 3 : UPSTREAM_AT[table]
  if (instanceAt !== undefined) row[instanceAt] = names.instance(String(row[instanceAt]))
  if (upstreamAt !== undefined) row[upstreamAt] = names.upstream(String(row[upstreamAt]))
  return row as unknown as BackupRow<Table>
}

export function hoursOf({ rows }: FileSource, fromMs: number, toMs: number): Sums {
  const sums = measuresOfRow.map((value) => `min(total(${value}), ${Number.MAX_SAFE_INTEGER})`)
  const hours = rows<readonly number[]>(
    `SELECT at_ms / ${HOUR_SECONDS * 1000} * ${HOUR_SECONDS}, ${sums.join(', ')} FROM usage WHERE at_ms >= ? AND at_ms < ? GROUP BY 1`,
    fromMs,
    toMs,
  )
  return sumsOf(
    hours.map(([bucketS = 0, ...measures]) => ({
      place: { ...HOUR, bucketS },
      sum: measuresOf(measures),
    })),
  )
}

/** Sums of buckets of one width, by the numbers of their members in the target. */
export async function bucketsOf({ file, names, ids }: MoveSides, part: TablePart): Promise<Sums> {
  const lines = [...linesOf(file, 'days', names, part)]
  const rates = [...linesOf(file, 'rates', names, part)]
  await ids.learn([...lines, ...rates])
  const { tierSeconds } = part
  return sumsOf([
    ...lines.map(({ row }) => bucketOf(row, ids, tierSeconds)),
    ...(await rateBuckets(
      rates.map(({ row }) => row),
      ids,
      tierSeconds,
    )),
  ])
}
