import { closeSync, readSync } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type {
  QuarantinedRecord,
  Recorder,
  RecorderContext,
  RowRecorder,
  UsageBatch,
} from '@svc/core/usage'
import type { Database } from '@svc/sqlite'
import { rowCountOf } from '../sqlite/inspect-store.ts'
import { openFile } from '../sqlite/sqlite.ts'
import { BackupError } from './format/backup-format.ts'
import { openBackup } from './import-backup.ts'

/** Some requests of a file, and where they stand there; null for a part of a document. */
interface RecordedPart {
  readonly batch: UsageBatch
  readonly place: string | null
}

/** An open file of another program. */
export interface RecordedFile {
  /** Other tables of the file, which are not read, with their numbers of rows. */
  readonly leftOut: readonly (readonly [table: string, rows: number])[]
  /** The requests in the order of the file. Throws BackupError for a damaged file. */
  parts(context: RecorderContext): Iterable<RecordedPart> | AsyncIterable<RecordedPart>
  close(): void
}

const SQLITE = 'SQLite format 3\0'
const GZIP = '\x1f\x8b'
const CHUNK_BYTES = 256 * 1024
/** Longest line; those of CPA Manager Plus may hold an answer's body. */
const LINE_BYTES_MAX = 64 * 1024 ** 2

/** Opens a file of another program: its path, or the descriptor of a regular file. Throws BackupError, which names the file. */
export function openRecorded(
  given: string | number,
  program: string,
  recorder: Recorder,
): RecordedFile {
  const name = typeof given === 'string' ? given : 'the input'
  const file = typeof given === 'string' ? openBackup(given) : given
  const start = Buffer.alloc(SQLITE.length)
  readSync(file, start, 0, start.byteLength, 0)
  const head = start.toString('latin1')
  if (head !== SQLITE) {
    if (recorder.form === 'rows' && !recorder.exportsLines)
      throw new BackupError(`${name} is not a SQLite database`)
    const bytes = bytesOf(file, head.startsWith(GZIP), name)
    return {
      leftOut: [],
      parts: (context) =>
        recorder.form === 'rows'
          ? partsOfLines(bytes, recorder, context, { name, program })
          : partsOfDocument(bytes, recorder.reader(context), name),
      close: () => closeSync(file),
    }
  }
  closeSync(file)
  if (recorder.form === 'document')
    throw new BackupError(`${name} is a SQLite database, not a JSON document`)
  if (typeof given === 'number')
    throw new BackupError('a SQLite database cannot be read from a pipe: name its file')
  return openDatabase(given, program, recorder)
}

async function* bytesOf(file: number, isGzip: boolean, name: string): AsyncGenerator<Buffer> {
  const source = isGzip ? Readable.from(chunksOf(file)).pipe(createGunzip()) : chunksOf(file)
  try {
    for await (const chunk of source) yield chunk as Buffer
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      throw new BackupError(`${name}: the gzip is damaged or ends in the middle`)
    throw error
  }
}

/** The bytes of an open file, which a stream would close when it is left early. */
function* chunksOf(file: number): Generator<Buffer> {
  for (let at = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const length = readSync(file, chunk, 0, CHUNK_BYTES, at)
    if (length === 0) return
    at += length
    yield chunk.subarray(0, length)
  }
}

async function* partsOfDocument(
  bytes: AsyncIterable<Buffer>,
  read: (chunks: Iterable<Uint8Array>) => Iterable<UsageBatch> | null,
  name: string,
): AsyncGenerator<RecordedPart> {
  const chunks: Buffer[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  const batches = read(chunks)
  if (batches === null) throw new BackupError(`${name} is not a whole usage export of the proxy`)
  for (const batch of batches) yield { batch, place: null }
}

async function* partsOfLines(
  bytes: AsyncIterable<Buffer>,
  { required, reader }: RowRecorder,
  context: RecorderContext,
  { name, program }: { readonly name: string; readonly program: string },
): AsyncGenerator<RecordedPart> {
  const read = reader(context)
  let number = 0
  let isFound = false
  let fault = 'it is empty'
  for await (const line of linesOf(bytes, name)) {
    number += 1
    if (line.trim() === '') continue
    const row = objectIn(line)
    const missing = row === null ? null : required.find((field) => row[field] == null)
    const place = `line ${number}`
    if (row !== null && missing === undefined) {
      isFound = true
      yield { batch: read(row), place }
      continue
    }
    if (number === 1)
      fault = row === null ? 'line 1 is not a JSON object' : `line 1 has no ${missing}`
    yield { batch: refused(context, 'bad_shape'), place }
  }
  if (!isFound) throw foreign(name, program, fault)
}

async function* linesOf(bytes: AsyncIterable<Buffer>, name: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of bytes) {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = chunk.subarray(start, end)
      yield (rest.length === 0 ? line : Buffer.concat([rest, line])).toString()
      rest = Buffer.alloc(0)
      start = end + 1
    }
    rest = Buffer.concat([rest, chunk.subarray(start)])
    if (rest.length > LINE_BYTES_MAX)
      throw new BackupError(`${name}: a line is longer than any record`)
  }
  if (rest.length > 0) yield rest.toString()
}

function objectIn(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line.replace(/^\ufeff/, ''))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null
  } catch {
    return null
  }
}

function refused({ now }: RecorderContext, reason: QuarantinedRecord['reason']): UsageBatch {
  return { receivedAt: now, details: [], quarantined: [{ reason, shape: '' }], saturatedCount: 0 }
}

function foreign(name: string, program: string, why: string): BackupError {
  return new BackupError(`${name} is not a file of ${program}: ${why}`)
}

/** Opens a SQLite file at one moment, which its own program may go on writing. */
function openDatabase(path: string, program: string, recorder: RowRecorder): RecordedFile {
  const read = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      throw code.startsWith('SQLITE_') ? new BackupError(`${path} cannot be read (${code})`) : error
    }
  }
  const db = read(() => openFile(path, { readonly: true, fileMustExist: true }))
  try {
    return read(() => {
      db.exec('BEGIN')
      const names = db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        .pluck()
        .all() as string[]
      const tables = recorder.tables.filter((table) => names.includes(table))
      const queries = tables.map((table) => queryOf(db, path, program, table, recorder))
      if (queries.length === 0)
        throw foreign(path, program, `it has no table ${recorder.tables[0]}`)
      return {
        leftOut: names
          .filter((table) => !tables.includes(table))
          .map((table) => [table, rowCountOf(db, table)] as const),
        *parts(context) {
          const decode = recorder.reader(context)
          for (const { table, fields, statement } of queries) {
            const rows = statement.iterate() as IterableIterator<readonly unknown[]>
            for (let number = 1; ; number += 1) {
              const next = read(() => rows.next())
              if (next.done === true) break
              // The driver's own objects are slow to make and to read.
              const row: Record<string, unknown> = {}
              fields.forEach((field, index) => {
                row[field] = next.value[index]
              })
              yield { batch: decode(row), place: `${table} row ${number}` }
            }
          }
        },
        close: () => db.close(),
      }
    })
  } catch (error) {
    db.close()
    throw error
  }
}

/** Statement for the wanted columns of a table that it has. An integer too large to be exact is read as a real, because some drivers throw for it. */
function queryOf(
  db: Database,
  path: string,
  program: string,
  table: string,
  recorder: RowRecorder,
) {
  const columns = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table)
  const missing = recorder.required.find((field) => !columns.includes(field))
  if (missing !== undefined) throw foreign(path, program, `${table} has no column ${missing}`)
  const max = Number.MAX_SAFE_INTEGER
  const fields = recorder.fields.filter((field) => columns.includes(field))
  const wanted = fields.map(
    (field) =>
      `iif(typeof(${field}) = 'integer' AND ${field} NOT BETWEEN -${max} AND ${max}, CAST(${field} AS REAL), ${field})`,
  )
  return { table, fields, statement: db.prepare(`SELECT ${wanted.join(', ')} FROM ${table}`).raw() }
}
