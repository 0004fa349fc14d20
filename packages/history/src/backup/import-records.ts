import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Account, epochMs, type Interval } from '@svc/core'
import { DEFAULT_UPSTREAM, type UpstreamName } from '@svc/core/service'
import {
  OTHER_ACCOUNT,
  type QuarantinedRecord,
  type Recorder,
  type UsageDetail,
} from '@svc/core/usage'
import type { Database } from '@svc/sqlite'
import { openFile } from '../sqlite/sqlite.ts'
import { historyErrorOf } from '../sqlite/sqlite-error.ts'
import { statedValues } from '../usage/measures.ts'
import { withTarget } from './engines.ts'
import { BackupError, type BackupRow, backupErrorOf, namedRow } from './format/backup-format.ts'
import type { ImportOptions } from './import-backup.ts'
import { openRecorded, type RecordedFile } from './recorded-file.ts'
import type { ImportTarget, StoredRequest } from './target/import-target.ts'

/** Import of the requests that another program has recorded. */
export interface RecordsOptions extends ImportOptions {
  /** Name of the program. */
  readonly program: string
  readonly recorder: Recorder
  /** Proxy that served the requests; null for the only one of the store. */
  readonly upstream: UpstreamName | null
}

/** Refused requests of one kind. */
export interface RefusedRecords {
  readonly reason: QuarantinedRecord['reason']
  readonly count: number
  /** Place of the first one in the file; null for one in a document. */
  readonly first: string | null
}

/** Outcome of an import: read = taken + known + all refused. */
export interface ImportedRecords {
  readonly read: number
  readonly taken: number
  /** Requests that the store has, and those that the file repeats. */
  readonly known: number
  readonly refused: readonly RefusedRecords[]
  /** Taken requests of accounts that the store does not know. */
  readonly unknownAccounts: number
  /** Taken requests from times in which the store had missed some. */
  readonly inGaps: number
  readonly leftOut: RecordedFile['leftOut']
}

/**
 * Adds the requests of another program's file that a store does not have yet. The whole file is read before the first row is written; rows are added by
 * transactions, so that an interrupted import is completed by running it again. Throws HistoryError (`locked` while a service holds the store) and
 * BackupError.
 */
export async function importRecords(options: RecordsOptions): Promise<ImportedRecords> {
  const { statePath, passwordFile = null, file: given, program, recorder, now } = options
  try {
    const file = openRecorded(given, program, recorder)
    const spool = openFile('')
    try {
      const meta = { cut: null, firstPoll: null, identity: new Map() }
      return await withTarget(statePath, passwordFile, { meta, certainAt: now }, (target) =>
        moveRecords(file, spool, target, options),
      )
    } finally {
      spool.close()
      file.close()
    }
  } catch (error) {
    throw backupErrorOf(error) ?? historyErrorOf(error)
  }
}

async function moveRecords(
  file: RecordedFile,
  spool: Database,
  target: ImportTarget,
  { program, recorder, upstream: given, now, onProgress, stop }: RecordsOptions,
): Promise<ImportedRecords> {
  const turn = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    if (stop?.aborted === true)
      throw new BackupError('interrupted: import the same file again to go on')
  }
  const { instance, clients, gaps, ...pool } = await target.facts()
  const upstream = given ?? onlyUpstream(pool.accounts)
  const accounts = pool.accounts.filter((account) => account.upstream === upstream)
  const tagged = recorder.form === 'rows' ? program : null

  spool.exec('CREATE TABLE record (at, key, row); BEGIN')
  const insert = spool.prepare('INSERT INTO record VALUES (?, ?, ?)')
  const refused = new Map<
    string,
    { -readonly [Field in keyof RefusedRecords]: RefusedRecords[Field] }
  >()
  let read = 0
  for await (const { batch, place } of file.parts({ accounts, clients, now })) {
    for (const detail of batch.details) {
      const row = valuesOf(detail, { instance, upstream, program: tagged })
      insert.run(row[0], row[1], JSON.stringify(row))
    }
    for (const { reason } of batch.quarantined) {
      const known = refused.get(reason)
      if (known === undefined) refused.set(reason, { reason, count: 1, first: place })
      else known.count += 1
    }
    const before = read
    read += batch.details.length + batch.quarantined.length
    if (Math.floor(read / ROWS_PER_TURN) > Math.floor(before / ROWS_PER_TURN)) {
      onProgress?.({ rows: read, total: null })
      await turn()
    }
  }
  spool.exec('COMMIT')

  const total = Number(spool.prepare('SELECT count(*) FROM record').pluck().get())
  const isInGap = gapFinder(gaps)
  let [done, taken, unknownAccounts, inGaps] = [0, 0, 0, 0]
  for (const batch of batchesOf(spool, target.rowsMax)) {
    const times = [...new Set(batch.map(({ atMs }) => epochMs(atMs)))]
    const rows = newRows(batch, await target.requestsAt(times), tagged)
    taken += await target.add(rows.map((row) => ({ table: 'usage', row, number: 0 })))
    unknownAccounts += rows.filter(({ account }) => account.startsWith(OTHER_ACCOUNT)).length
    inGaps += rows.filter(({ atMs }) => isInGap(atMs)).length
    done += batch.length
    onProgress?.({ rows: done, total })
    await turn()
  }
  await target.end()
  await target.settle()
  const all = [...refused.values()]
  const known = read - taken - all.reduce((sum, { count }) => sum + count, 0)
  return { read, taken, known, refused: all, unknownAccounts, inGaps, leftOut: file.leftOut }
}

const ROWS_PER_TURN = 1_000

/** The one proxy of these accounts, or the default one. Throws BackupError if there are several. */
function onlyUpstream(accounts: readonly Account[]): UpstreamName {
  const [one = DEFAULT_UPSTREAM, ...others] = new Set(accounts.map(({ upstream }) => upstream))
  if (others.length === 0) return one
  throw new BackupError(
    'the store has the accounts of several proxies: say with --upstream <name> which of them served these requests',
  )
}

type UsageRow = BackupRow<'usage'>

/** The values of a row of a backup. */
function valuesOf(
  detail: UsageDetail,
  store: {
    readonly instance: string
    readonly upstream: UpstreamName
    readonly program: string | null
  },
): readonly unknown[] {
  const { at, accountKey, apiName, model, tokens, failed, provider = null } = detail
  const { instance, upstream, program } = store
  const key = program === null ? detail.key : (detail.key & ~0xffff_ffffn) | tagOf(program, detail)
  return [
    ...[at, `${key}`, instance, accountKey, apiName, model, tokens, failed ? 1 : 0],
    ...[upstream, provider, ...statedValues(detail)],
  ]
}

type Likeness = Pick<UsageDetail, 'apiName' | 'model' | 'tokens'>

/** Client, model and size as text, the same for a client that another recorder knows by the SHA-256 of its name alone. */
function likenessOf({ apiName, model, tokens }: Likeness): string {
  let client = hashes.get(apiName)
  if (client === undefined) {
    client = SHA_256.test(apiName) ? apiName : hash('sha256', apiName.trim(), 'hex')
    if (hashes.size === HASHES_MAX) hashes.clear()
    hashes.set(apiName, client)
  }
  return JSON.stringify([client, model, tokens])
}

const SHA_256 = /^[0-9a-f]{64}$/
/** Hashes of the last clients, because a file has few. */
const hashes = new Map<string, string>()
const HASHES_MAX = 1_000

/** Lower half of the keys of this program's requests that are alike. It tells them from those of another recorder. */
function tagOf(program: string, request: Likeness): bigint {
  return BigInt(crc32(`${program} ${likenessOf(request)}`))
}

/** Batches of about `rowsMax` rows in the order of time without repetitions, never ending between two rows of one time. */
function* batchesOf(spool: Database, rowsMax: number): Generator<readonly UsageRow[]> {
  let batch: UsageRow[] = []
  // Sorting once is faster than a table in order, into which rows of other times are put.
  const texts = spool
    .prepare('SELECT row, min(rowid) FROM record GROUP BY at, key ORDER BY at, key')
    .pluck()
    .iterate()
  for (const text of texts as IterableIterator<string>) {
    const row = namedRow('usage', JSON.parse(text))
    if (batch.length >= rowsMax && batch.at(-1)?.atMs !== row.atMs) {
      yield batch
      batch = []
    }
    batch.push(row)
  }
  if (batch.length > 0) yield batch
}

/**
 * The rows that a store does not have. A row is a stored request of the same time, client, model and tokens, and of the same account unless one of both
 * is unknown. Each stored request of another recorder stands for one row.
 */
function newRows(
  rows: readonly UsageRow[],
  stored: readonly StoredRequest[],
  program: string | null,
): readonly UsageRow[] {
  if (stored.length === 0) return rows
  const given = new Set(rows.map(({ atMs, key }) => `${atMs} ${key}`))
  const had = new Set<string>()
  const others = new Map<string, StoredRequest[]>()
  for (const request of stored) {
    const { at, key, client: apiName, ...size } = request
    const likeness = { apiName, ...size }
    const place = `${at} ${key}`
    if (given.has(place)) had.add(place)
    else if (program === null || BigInt.asUintN(32, BigInt(key)) !== tagOf(program, likeness)) {
      const like = `${at} ${likenessOf(likeness)}`
      others.set(like, [...(others.get(like) ?? []), request])
    }
  }
  return rows.filter((row) => {
    const { atMs, key, account } = row
    if (had.has(`${atMs} ${key}`)) return false
    const same = others.get(`${atMs} ${likenessOf(row)}`) ?? []
    const exact = same.findIndex((other) => other.account === account)
    const index = exact >= 0 ? exact : same.findIndex((other) => isUnknown(other.account, account))
    if (index >= 0) same.splice(index, 1)
    return index < 0
  })
}

function isUnknown(...accounts: readonly string[]): boolean {
  return accounts.some((account) => account.startsWith(OTHER_ACCOUNT))
}

/** Creates a test whether a time is in a gap, for times in order. */
function gapFinder(gaps: readonly Interval[]): (at: number) => boolean {
  let [index, reached] = [0, Number.NEGATIVE_INFINITY]
  return (at) => {
    for (let gap = gaps[index]; gap !== undefined && gap.from <= at; gap = gaps[index]) {
      reached = Math.max(reached, gap.to)
      index += 1
    }
    return at < reached
  }
}
