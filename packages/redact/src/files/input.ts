import { constants, promises as fs } from 'node:fs'
import { RedactError } from '../redact-error.ts'

/** A file that is read from its beginning to its end. */
export interface Reading {
  readonly path: string
  readonly stop: AbortSignal
  /** Called with the bytes of each piece of text, and with 0 now and then for rows of a database. */
  readonly onRead: (bytes: number) => void
}

const PIECE_BYTES = 64 * 1024
/** Flags for opening a file. Without O_NONBLOCK, opening a pipe would wait for its writer. Windows has neither flag and needs neither. */
const OPEN_FLAGS =
  constants.O_RDONLY |
  ((constants.O_NONBLOCK as number | undefined) ?? 0) |
  ((constants.O_NOFOLLOW as number | undefined) ?? 0)

/**
 * The pieces of a regular file in order, to the length it has when it is opened; later additions are not read. Throws RedactError for pipes, devices,
 * sockets, for files without a meaningful size such as those below /proc, and when the file has become shorter.
 */
export async function* piecesOf({ path, stop, onRead }: Reading): AsyncGenerator<Buffer> {
  const file = await fs.open(path, OPEN_FLAGS).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENXIO') throw new RedactError('is not a regular file')
    if (error.code === 'ELOOP') throw new RedactError('is a link')
    throw error
  })
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new RedactError('is not a regular file')
    if (stats.size === 0 && (await file.read(Buffer.alloc(1), 0, 1, 0)).bytesRead > 0)
      throw new RedactError('has no size: it is made by the system while it is read')
    for (let at = 0; at < stats.size; ) {
      stop.throwIfAborted()
      const length = Math.min(PIECE_BYTES, stats.size - at)
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
      if (bytesRead === 0) throw new RedactError('became shorter while it was read')
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
      onRead(bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** Kinds of text that are read in different ways. */
export type TextKind = 'text' | 'json' | 'csv'

/** The reader that a file needs. */
export type FileKind = TextKind | 'sqlite'

/** Endings of earlier versions, as in `usage.csv.1`. */
const KEPT = /(?:\.(?:\d+|bak|old|orig|save)|~|[-.]\d{8,14})+$/
/** Tabs, line breaks, form feeds and colours of a terminal. */
const HARMLESS_CONTROLS = [9, 10, 12, 13, 27]
const SQLITE_HEAD = 'SQLite format 3\u0000'

/** The kind of a file, which its first piece tells. Throws RedactError. */
export async function readKind(path: string, stop: AbortSignal): Promise<FileKind> {
  for await (const head of piecesOf({ path, stop, onRead: () => undefined }))
    return fileKindOf(path, head)
  return fileKindOf(path, Buffer.alloc(0))
}

/**
 * A database is known by its content, a text by its name, or by its beginning where the name does not tell. Throws RedactError
 * for what is neither.
 */
export function fileKindOf(path: string, head: Buffer): FileKind {
  if (head.toString('latin1', 0, SQLITE_HEAD.length) === SQLITE_HEAD) return 'sqlite'
  if (head[0] === 0xff || head[0] === 0xfe)
    throw new RedactError('looks like UTF-16: save it as UTF-8')
  refuseBinary(head)
  const controls = head.filter((byte) => byte < 0x20 && !HARMLESS_CONTROLS.includes(byte)).length
  const invalid = (head.toString('utf8').match(/\ufffd/g) ?? []).length
  if (controls > head.length / 50 || invalid > head.length / 20) throw new RedactError(NOT_TEXT)
  const name = path.toLowerCase().replace(KEPT, '')
  if (/\.(?:csv|tsv)$/.test(name)) return 'csv'
  if (/\.(?:json|jsonl|ndjson|geojson|har|jsonc|json5|webmanifest|ipynb)$/.test(name)) return 'json'
  if (
    /\.(?:md|markdown|txt|text|log|ya?ml|toml|ini|conf|cfg|env|properties|xml|html?|sh|sql)$/.test(
      name,
    )
  )
    return 'text'
  return /^(?:\xef\xbb\xbf)?[ \t\r\n]{0,64}[{[][ \t\r\n]{0,64}["{[\]}\d]/.test(
    head.toString('latin1'),
  )
    ? 'json'
    : 'text'
}

/** Throws RedactError for a zero byte anywhere: UTF-16 that was appended to a text would not be searched. */
export function refuseBinary(bytes: Buffer): void {
  if (bytes.includes(0)) throw new RedactError(NOT_TEXT)
}

const NOT_TEXT = 'is neither text (UTF-8) nor a database this program knows'
