import type { UpstreamName } from '@svc/core/service'
import { sql } from 'drizzle-orm'
import { type BackupTable, namedRow } from '../backup/format/backup-format.ts'
import type { TablePart } from '../backup/format/backup-lines.ts'
import type { BackupLine } from '../backup/format/backup-reader.ts'
import type { FileSource } from '../backup/sqlite/sqlite-source.ts'
import type { ImportNames } from '../backup/target/import-names.ts'
import type { ImportTarget } from '../backup/target/import-target.ts'
import { bucketsOf as importedBuckets } from '../backup/target/import-target.ts'
import type { Session } from '../postgres/session.ts'
import { type Connection, select } from '../sql/connection.ts'
import { rowTime } from '../sql/usage-rows.ts'
import { DAY_TIER_SECONDS, groupings } from '../usage/tiers.ts'
import { type Sums, sumsOf } from './move-sums.ts'

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

export type FileFacts = Awaited<ReturnType<typeof factsOf>>

export async function factsOf({ db }: FileSource) {
  const { sums, ofTier } = db.tables.sumsOfTier(DAY_TIER_SECONDS)
  const ofTotal = sql`WHERE ${ofTier} AND ${sums.grouping} = ${groupings.total} ORDER BY ${sums.bucketS}`
  const days = await select(db, sums, ['bucketS', 'requests'], ofTotal)
  const upstreams = await select(db, db.tables.upstreams, ['name'], sql`ORDER BY id`)
  return {
    meta: await metaOf(db),
    /** Start time of the newest request; null without rows. */
    newestMs: await rowTime(db, 'max'),
    upstreams: upstreams.map(({ name }): UpstreamName => name),
    /** Days with usage, newest last. */
    days: days.map(({ bucketS, requests }) => ({ startMs: bucketS * 1000, requests })),
  }
}

/** A store's own values. */
export async function metaOf(db: Connection): Promise<ReadonlyMap<string, string>> {
  const found = await select(db, db.tables.meta, ['name', 'value'])
  return new Map(found.map(({ name, value }) => [name, value]))
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

/** Sums of buckets of one width, by the numbers of their members in the target. */
export async function bucketsOf({ file, names, ids }: MoveSides, part: TablePart): Promise<Sums> {
  const lines = [...linesOf(file, 'days', names, part), ...linesOf(file, 'rates', names, part)]
  await ids.learn(lines)
  return sumsOf(await importedBuckets(lines, ids, part.tierSeconds))
}
