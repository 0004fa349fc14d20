import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Where the header has the size of a page and their number. Source: SQLite's file format 1.3. */
const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'

/**
 * Whether a database that this process has not opened is whole, as `isWholeFile`. Of one that it has opened, closing the file here would take
 * away every lock of the process, and the next program that opens the database would delete the WAL file.
 */
export function isWhole(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    return isWholeFile(file)
  } finally {
    closeSync(file)
  }
}

/** False when an open file holds fewer pages than it says, or does not say. Right after a crash the rest may still be in the WAL file. */
export function isWholeFile(file: number): boolean {
  const header = Buffer.alloc(HEADER_BYTES)
  if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return false
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return false
  const size = header.readUInt16BE(16)
  // The largest size does not fit into its field.
  const pageBytes = size === 1 ? 65_536 : size
  return fstatSync(file).size >= header.readUInt32BE(28) * pageBytes
}
