import { createHash } from 'node:crypto'
import { fstatSync, readSync } from 'node:fs'
import * as v from 'valibot'
import {
  BACKUP_FORMAT,
  BACKUP_FORMAT_VERSION,
  BackupError,
  type BackupRow,
  type BackupTable,
  backupTableNames,
  backupTables,
  EARLIER_FORMAT,
  headSchema,
  LONGER_ROWS,
  NEW_TABLES,
  namedRow,
} from './backup-format.ts'

/** A row with the number of its line in the file, counted from 1. */
export type BackupLine<Table extends BackupTable = BackupTable> = {
  readonly [Of in Table]: {
    readonly table: Of
    readonly row: BackupRow<Of>
    readonly number: number
  }
}[Table]

export type BackupHeadRead = v.InferOutput<typeof headSchema>

const CHUNK_BYTES = 64 * 1024
const LINE_LENGTH_MAX = 64 * 1024
const TABLES = ',"tables":{'
const FORMAT = new RegExp(`"format"\\s*:\\s*"${BACKUP_FORMAT}"`)
const TRAILER = /^\},"sha256":"([0-9a-f]{64})"\}\s*$/

/** Reads the head of a backup from the start of the file. Throws BackupError. */
export function readHead(file: number): BackupHeadRead {
  const first = firstLine(file)
  if (!first.endsWith(TABLES))
    throw isRewritten(file)
      ? rewritten()
      : new BackupError('this is not a backup of a history store')
  let parsed: unknown = null
  try {
    parsed = JSON.parse(`${first.slice(0, -TABLES.length)}}`)
  } catch {
    // Reported below.
  }
  const head = v.safeParse(headSchema, parsed)
  if (!head.success) throw new BackupError('this is not a backup of a history store')
  const { formatVersion } = head.output
  if (formatVersion !== BACKUP_FORMAT_VERSION && formatVersion !== EARLIER_FORMAT) {
    const age = formatVersion > BACKUP_FORMAT_VERSION ? 'a newer' : 'an older'
    throw new BackupError(
      `the backup has format ${formatVersion}, which only ${age} version of this program can read`,
    )
  }
  return head.output
}

function firstLine(file: number): string {
  try {
    return linesOf(file).next().value ?? ''
  } catch (error) {
    if (isRewritten(file)) throw rewritten()
    throw error
  }
}

/** Whether another program has reformatted the document's white space. */
function isRewritten(file: number): boolean {
  const start = Buffer.alloc(4_096)
  const length = readSync(file, start, 0, start.byteLength, 0)
  const text = start.toString('latin1', 0, length)
  // With its original first line a file may be damaged, but was not rewritten.
  return FORMAT.test(text) && !(text.split('\n', 1)[0] ?? '').endsWith(TABLES)
}

function rewritten(): BackupError {
  return new BackupError(
    'another program (such as jq or an editor) has rewritten this backup, so its checksum cannot be compared: import the file as it was exported',
  )
}

/**
 * Yields every row of a backup after checking it, and at the end checks the number of rows and the checksum. Reads the file from its start in
 * constant memory. Throws BackupError, which names the line.
 */
export function* readRows(file: number): Generator<BackupLine> {
  const head = readHead(file)
  const isEarlier = head.formatVersion === EARLIER_FORMAT
  const tables = backupTableNames.filter((table) => !isEarlier || !NEW_TABLES.has(table))
  const digest = createHash('sha256').update('{')
  const lines = linesOf(file)
  lines.next()
  let tableIndex = -1
  let open = false
  let number = 1
  let counted = 0
  for (const line of lines) {
    number += 1
    const trailer = TRAILER.exec(line)
    if (trailer !== null) {
      if (open || tableIndex !== tables.length - 1) throw wrongLine(number)
      if (digest.update('\n}').digest('hex') !== trailer[1])
        throw new BackupError('the checksum does not match: the backup is damaged')
      for (const behind of lines) {
        number += 1
        if (behind.trim() !== '') throw wrongLine(number)
      }
      return
    }
    digest.update(`\n${line}`)
    const table = tables[tableIndex]
    if (!open) {
      const next = tables[tableIndex + 1]
      const opening = `"${next}":[`
      if (
        next === undefined ||
        !(line === opening || line === `${opening}],` || line === `${opening}]`)
      )
        throw wrongLine(number)
      tableIndex += 1
      counted = 0
      open = line === opening
      if (!open && head.counts[next] !== 0) throw wrongCount(next)
    } else if (line === '],' || line === ']') {
      open = false
      if (table === undefined) continue
      if (counted !== head.counts[table]) throw wrongCount(table)
    } else if (table !== undefined) {
      counted += 1
      yield lineOf(table, line, number, isEarlier)
    }
  }
  throw new BackupError('the backup ends in the middle')
}

/** Checks of a row's values, which take half the time of those of an object. */
const valueSchemas = Object.fromEntries(
  Object.entries(backupTables).map(([table, { entries }]) => [
    table,
    v.strictTuple(Object.values(entries)),
  ]),
) as Record<BackupTable, ReturnType<typeof v.strictTuple>>

function lineOf(table: BackupTable, line: string, number: number, isEarlier: boolean): BackupLine {
  let parsed: unknown
  try {
    parsed = JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line)
  } catch {
    throw wrongLine(number)
  }
  const values = Array.isArray(parsed) ? parsed : []
  if (isEarlier && LONGER_ROWS.has(table)) values.push(null)
  if (!v.is(valueSchemas[table], values))
    throw new BackupError(`line ${number}: not a row of ${table}`)
  return { table, row: namedRow(table, values), number } as BackupLine
}

function wrongLine(number: number): BackupError {
  return new BackupError(`line ${number}: not what a backup has there`)
}

function wrongCount(table: BackupTable): BackupError {
  return new BackupError(`${table}: the number of rows does not match the head`)
}

function* linesOf(file: number): Generator<string, undefined> {
  const { size } = fstatSync(file)
  const chunk = Buffer.alloc(CHUNK_BYTES)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  for (let offset = 0; offset < size; ) {
    const bytes = readSync(file, chunk, 0, CHUNK_BYTES, offset)
    if (bytes === 0) break
    offset += bytes
    rest += decode(decoder, chunk.subarray(0, bytes))
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LINE_LENGTH_MAX) throw new BackupError('a line is longer than any row')
    yield* lines
  }
  if (rest !== '') yield rest
  return undefined
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: true })
  } catch {
    throw new BackupError('the backup is not valid UTF-8')
  }
}
