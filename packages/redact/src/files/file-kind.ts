import { RedactError } from '../redact-error.ts'

/** Kinds of text that are read in different ways. */
export type TextKind = 'text' | 'json' | 'csv'

/** The reader that a file needs. */
export type FileKind = TextKind | 'sqlite'

/** Endings of earlier versions, as in `usage.csv.1`. */
const KEPT = /(?:\.(?:\d+|bak|old|orig|save)|~|[-.]\d{8,14})+$/
const SQLITE_HEAD = 'SQLite format 3\u0000'
/** The kind of a file is told by this many of its first bytes. */
export const HEAD_BYTES = 64 * 1024

/**
 * A database is known by its content, a text by its name, or by its beginning where the name does not tell. Throws RedactError
 * for what is neither.
 */
export function fileKindOf(path: string, head: Buffer): FileKind {
  if (head.toString('latin1', 0, SQLITE_HEAD.length) === SQLITE_HEAD) return 'sqlite'
  if (head[0] === 0xff || head[0] === 0xfe)
    throw new RedactError('looks like UTF-16: save it as UTF-8')
  refuseBinary(head)
  const controls = head.filter(
    (byte) =>
      byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13 && byte !== 0x1b && byte !== 12,
  ).length
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
