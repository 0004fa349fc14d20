import { createHash, type Hash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, gzip, gzipSync } from 'node:zlib'
import type { Steps } from '@svc/core'
import { JSON_TYPE } from '../response-headers.ts'
import { inTurns } from './in-turns.ts'
import type { EncodedPayload } from './payloads.ts'

const gzipAsync = promisify(gzip)

/** Elements of a list that are stringified at a time. */
const ELEMENTS_PER_PIECE = 100
/** Characters, or bytes, that are turned into bytes or copied at a time. */
const CHUNK_LENGTH = 256 * 1024

/** One JSON document as bytes, with what tells it from every other one. */
export interface JsonBytes {
  readonly json: Uint8Array<ArrayBuffer>
  readonly digest: string
}

/** Documents whose bytes are known: where one of them is part of another, its bytes are used again. */
export type KnownParts = ReadonlyMap<unknown, JsonBytes>

/** A document of plain objects, arrays and what else JSON knows, stringified once, in turns. */
export function jsonBytesOf(document: unknown, parts: KnownParts = new Map()): Promise<JsonBytes> {
  return inTurns(bytesInSteps(document, parts))
}

/** Loopback and LAN readers gain little from a better ratio; the CPU is shared with the proxy. */
const GZIP = { level: constants.Z_BEST_SPEED }

/** Compresses JSON off this thread and adds the validators of both forms. */
export async function payloadOf(bytes: JsonBytes): Promise<EncodedPayload> {
  return withValidators(bytes, await gzipAsync(bytes.json, GZIP), JSON_TYPE)
}

/** The same of any text on this thread, which it holds up meanwhile. */
export function compressedNow(bytes: JsonBytes, contentType: string): EncodedPayload {
  return withValidators(bytes, gzipSync(bytes.json, GZIP), contentType)
}

function withValidators({ json, digest }: JsonBytes, compressed: Uint8Array, contentType: string): EncodedPayload {
  return { contentType, plain: json, gzip: compressed as Uint8Array<ArrayBuffer>, plainEtag: `"${digest}"`, gzipEtag: `"${digest}-gzip"` }
}

/** Text that is ready, as bytes with what tells it from every other one. */
export function bytesOf(text: string): JsonBytes {
  const json = Buffer.from(text)
  return { json, digest: digestOf(createHash('sha256').update(json)) }
}

/** A JSON payload with one piece of it in place of another; as it is where it does not hold the first. */
export async function replacedIn(payload: EncodedPayload, before: string, after: string): Promise<EncodedPayload> {
  const plain = Buffer.from(payload.plain.buffer, payload.plain.byteOffset, payload.plain.byteLength)
  const start = plain.indexOf(before)
  if (start < 0) return payload
  const json = Buffer.concat([plain.subarray(0, start), Buffer.from(after), plain.subarray(start + Buffer.byteLength(before))])
  // Of what it was and what is new in it; reading all of it again would take as long as it is large.
  const digest = digestOf(createHash('sha256').update(payload.plainEtag).update(after))
  return await payloadOf({ json, digest })
}

/** Both for a document that stands alone. */
export async function encodeJson(document: unknown): Promise<EncodedPayload> {
  return await payloadOf(await jsonBytesOf(document))
}

function digestOf(hash: Hash): string {
  return hash.digest('base64url').slice(0, 22)
}

function* bytesInSteps(document: unknown, parts: KnownParts): Steps<JsonBytes> {
  const hash = createHash('sha256')
  const chunks: Uint8Array[] = []
  let text = ''
  const flush = () => {
    const chunk = Buffer.from(text)
    text = ''
    hash.update(chunk)
    chunks.push(chunk)
  }
  for (const piece of jsonPieces(document, parts)) {
    if (typeof piece === 'string') text += piece
    if (typeof piece !== 'string' || text.length >= CHUNK_LENGTH) flush()
    if (typeof piece !== 'string') {
      hash.update(piece.digest)
      chunks.push(piece.json)
    }
    yield
  }
  flush()
  return { json: yield* joined(chunks), digest: digestOf(hash) }
}

/** One piece of memory from many, filled bit by bit: the first touch of fresh memory is what takes the time. */
function* joined(chunks: readonly Uint8Array[]): Steps<Uint8Array<ArrayBuffer>> {
  const bytes = Buffer.allocUnsafeSlow(chunks.reduce((length, chunk) => length + chunk.length, 0))
  let end = 0
  for (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += CHUNK_LENGTH) {
      const part = chunk.subarray(start, start + CHUNK_LENGTH)
      bytes.set(part, end)
      end += part.length
      yield
    }
  }
  return bytes
}

/** A document in pieces: objects and short lists member by member, long lists some elements at a time. */
function* jsonPieces(value: unknown, parts: KnownParts): Generator<string | JsonBytes> {
  const known = parts.get(value)
  if (known !== undefined) yield known
  else if (Array.isArray(value)) yield* listPieces(value, parts)
  else if (typeof value === 'object' && value !== null) yield* objectPieces(value, parts)
  else yield JSON.stringify(value)
}

function* listPieces(list: readonly unknown[], parts: KnownParts): Generator<string | JsonBytes> {
  let opening = '['
  for (let start = 0; start < list.length; start += ELEMENTS_PER_PIECE) {
    yield opening
    opening = ','
    // Of a long list no single element is long itself; a short one may be a list of long lists.
    if (list.length > ELEMENTS_PER_PIECE) yield JSON.stringify(list.slice(start, start + ELEMENTS_PER_PIECE)).slice(1, -1)
    else yield* membersOf(list, parts)
  }
  yield opening === '[' ? '[]' : ']'
}

function* membersOf(list: readonly unknown[], parts: KnownParts): Generator<string | JsonBytes> {
  for (const [index, element] of list.entries()) {
    if (index > 0) yield ','
    yield* jsonPieces(element, parts)
  }
}

function* objectPieces(value: object, parts: KnownParts): Generator<string | JsonBytes> {
  let opening = '{'
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    yield `${opening}${JSON.stringify(name)}:`
    opening = ','
    yield* jsonPieces(member, parts)
  }
  yield opening === '{' ? '{}' : '}'
}
