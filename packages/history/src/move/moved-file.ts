import type { UpstreamName } from '@svc/core/service'
import { type BackupTable, namedRow } from '../backup/format/backup-format.ts'
import type { TablePart } from '../backup/format/backup-lines.ts'
import type { BackupLine } from '../backup/format/backup-reader.ts'
import type { ImportTarget } from '../backup/format/import-target.ts'
import type { FileSource } from '../backup/sqlite/sqlite-source.ts'
import type { ImportNames } from '../backup/target/import-names.ts'
import { bucketsOf as importedBuckets } from '../backup/target/import-target.ts'
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

/** Rows of a table under the names of the database. */
export function* linesOf<Table extends BackupTable>(
  file: FileSource,
  table: Table,
  names: MovedNames,
  part: Partial<TablePart> = {},
): Generator<BackupLine<Table>> {
  for (const page of file.pages(table, part))
    for (const line of page) {
      const row: Record<string, unknown> = namedRow(table, JSON.parse(line))
      if ('instance' in row) row.instance = names.instance(`${row.instance}`)
      if ('upstream' in row) row.upstream = names.upstream(`${row.upstream}`)
      if (row.grouping === 'upstream') row.member = names.upstream(`${row.member}`)
      yield { table, row, number: 0 } as never
    }
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
  const lines = [...linesOf(file, 'days', names, part), ...linesOf(file, 'rates', names, part)]
  await ids.learn(lines)
  return sumsOf(await importedBuckets(lines, ids, part.tierSeconds))
}
