import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import {
  type Compression,
  includesCompression,
  isCompressedTo,
  joinedCompression,
  type ReadyAnswer,
  type ReadyForm,
} from './ready-answer.ts'
import { JSON_TYPE, securityHeaders } from './response-headers.ts'

/** Loopback and LAN readers gain little from a better ratio; the processor is shared with the proxy. */
const GZIP = { level: constants.Z_BEST_SPEED }
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
/** Twice as fast as `Buffer.from` for texts with a character beyond Latin-1. */
const encoder = new TextEncoder()
const NOT_MADE = { gzip: null, br: null }
const CLOSING_BRACE = '}'.charCodeAt(0)

/** Text as bytes, with a digest of its content. */
interface Representation {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly digest: string
  readonly contentType: string
}

/** A text as an answer that is ready to send. */
export function readyText(
  text: string,
  contentType: string,
  compression: Compression = 'both',
): ReadyAnswer {
  const bytes = encoder.encode(text)
  return answerOf({ bytes, digest: digestOf(bytes), contentType }, compression)
}

/** A JSON answer with its headers, in the given compressed forms. */
export function encodeJson(document: unknown, compression: Compression = 'both'): ReadyAnswer {
  return readyText(JSON.stringify(document), JSON_TYPE, compression)
}

/** Adds the missing forms to an answer. */
export function compressedTo(answer: ReadyAnswer, compression: Compression): ReadyAnswer {
  if (isCompressedTo(answer, compression)) return answer
  const { bytes, etag, headers } = answer.plain
  const contentType = headers['Content-Type'] ?? JSON_TYPE
  const wanted = joinedCompression([answer.compression, compression])
  return answerOf({ bytes, digest: etag.slice(1, -1), contentType }, wanted, answer)
}

/** Encodes a document around a member that is already encoded, so that the member is neither stringified nor encoded twice. */
export function encodeAround(
  document: object,
  member: string,
  { plain }: ReadyAnswer,
  compression: Compression = 'both',
): ReadyAnswer {
  // Placed last, so that the position of its bytes is known.
  const json = JSON.stringify({ ...document, [member]: undefined })
  const before = `${json.slice(0, -1)}${json.length > 2 ? ',' : ''}${JSON.stringify(member)}:`
  const head = encoder.encode(before)
  const bytes = new Uint8Array(head.length + plain.bytes.length + 1)
  bytes.set(head)
  bytes.set(plain.bytes, head.length)
  bytes[bytes.length - 1] = CLOSING_BRACE
  return answerOf(
    { bytes, digest: digestOf(head, plain.etag), contentType: JSON_TYPE },
    compression,
  )
}

/** A JSON answer with one piece of text replaced, compressed like the original; the original if it does not contain the piece. */
export function replacedIn(answer: ReadyAnswer, before: string, after: string): ReadyAnswer {
  const { bytes, etag } = answer.plain
  const plain = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = plain.indexOf(before)
  if (start < 0) return answer
  const json = Buffer.concat([
    plain.subarray(0, start),
    Buffer.from(after),
    plain.subarray(start + Buffer.byteLength(before)),
  ])
  // Digest of the old ETag and the new text, because reading all bytes again would take time in proportion to their number.
  return answerOf(
    { bytes: json, digest: digestOf(etag, after), contentType: JSON_TYPE },
    answer.compression,
  )
}

function answerOf(
  { bytes, digest, contentType }: Representation,
  compression: Compression,
  made: Pick<ReadyAnswer, 'gzip' | 'br'> = NOT_MADE,
): ReadyAnswer {
  const form = (encoding: 'gzip' | 'br' | null, encoded: Uint8Array): ReadyForm => {
    const etag = encoding === null ? `"${digest}"` : `"${digest}-${encoding}"`
    return {
      bytes: encoded as Uint8Array<ArrayBuffer>,
      etag,
      headers: {
        ...securityHeaders,
        ETag: etag,
        'Content-Type': contentType,
        'Content-Length': String(encoded.byteLength),
        ...(encoding === null ? {} : { 'Content-Encoding': encoding }),
      },
      unchangedHeaders: { ...securityHeaders, ETag: etag },
    }
  }
  const plain = form(null, bytes)
  const gzip = includesCompression(compression, 'gzip')
    ? (made.gzip ?? form('gzip', gzipSync(bytes, GZIP)))
    : null
  if (!includesCompression(compression, 'br')) return { compression, plain, gzip, br: null }
  const brotlied = made.br?.bytes ?? brotliCompressSync(bytes, BROTLI)
  const isSmallest = brotlied.byteLength < (gzip ?? plain).bytes.byteLength
  return { compression, plain, gzip, br: isSmallest ? form('br', brotlied) : null }
}

function digestOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('base64url').slice(0, 22)
}
