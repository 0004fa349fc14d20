import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'

/** Length of the header, which has the size of a page and their number. Source: SQLite's file format 1.3. */
const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'

/**
 * Whether a database that this process has not opened is whole, see `isWholeFile`. For an open one, closing the file here would release every lock of
 * the process, and the next program that opens the database would delete the WAL file.
 */
export function isWhole(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    return isWholeFile(file)
  } finally {
    closeSync(file)
  }
}

/**
 * False if an open file has fewer pages than its header states, or no valid header. With `log`, pages found there are not missing: while a reader
 * still uses an older version of a page, and right after a crash, the log cannot be moved into the file completely.
 */
export function isWholeFile(file: number, log: string | null = null): boolean {
  const header = Buffer.alloc(HEADER_BYTES)
  if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return false
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return false
  const size = header.readUInt16BE(16)
  // The largest size does not fit into its field and is stored as 1.
  const pageBytes = size === 1 ? 65_536 : size
  const [held, said] = [Math.floor(fstatSync(file).size / pageBytes), header.readUInt32BE(28)]
  return held >= said || (log !== null && isInLog(log, pageBytes, { after: held, to: said }))
}

/** Layout of the log: its header has the salts, each frame the number of its page and the salts again. Source: SQLite's file format 4.1. */
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const SALTS_AT = 16
const FRAME_SALTS_AT = 8
const SALT_BYTES = 8

function isInLog(
  path: string,
  pageBytes: number,
  { after, to }: { readonly after: number; readonly to: number },
): boolean {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return false
  // SQLite keeps its locks elsewhere, so this file may be closed.
  const log = openSync(path, 'r')
  try {
    const header = Buffer.alloc(LOG_HEADER_BYTES)
    if (readSync(log, header, 0, LOG_HEADER_BYTES, 0) < LOG_HEADER_BYTES) return false
    const salts = header.subarray(SALTS_AT, SALTS_AT + SALT_BYTES)
    const frame = Buffer.alloc(FRAME_HEADER_BYTES)
    const found = new Set<number>()
    for (let at = LOG_HEADER_BYTES; ; at += FRAME_HEADER_BYTES + pageBytes) {
      if (readSync(log, frame, 0, FRAME_HEADER_BYTES, at) < FRAME_HEADER_BYTES) break
      if (!frame.subarray(FRAME_SALTS_AT, FRAME_SALTS_AT + SALT_BYTES).equals(salts)) break
      const page = frame.readUInt32BE(0)
      if (page > after && page <= to) found.add(page)
    }
    return found.size === to - after
  } finally {
    closeSync(log)
  }
}
