import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { Steps } from '@svc/core'
import { inTurns } from './in-turns.ts'
import type { EncodedPayload } from './payloads.ts'

const gzipAsync = promisify(gzip)

/** Elements of a list that are stringified at a time. */
const ELEMENTS_PER_PIECE = 100

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

/** Compresses off the main thread and adds the validators of both forms. */
export async function payloadOf({ json, digest }: JsonBytes): Promise<EncodedPayload> {
  // Loopback and LAN readers gain little from a better ratio; the CPU is shared with the proxy.
  const compressed = await gzipAsync(json, { level: constants.Z_BEST_SPEED })
  return { json, gzip: compressed as Uint8Array<ArrayBuffer>, jsonEtag: `"${digest}"`, gzipEtag: `"${digest}-gzip"` }
}

/** Both for a document that stands alone. */
export async function encodeJson(document: unknown): Promise<EncodedPayload> {
  return await payloadOf(await jsonBytesOf(document))
}

function* bytesInSteps(document: unknown, parts: KnownParts): Steps<JsonBytes> {
  const hash = createHash('sha256')
  const chunks: Uint8Array[] = []
  for (const piece of jsonPieces(document, parts)) {
    const chunk = 'json' in piece ? piece.json : piece
    hash.update('json' in piece ? piece.digest : chunk)
    chunks.push(chunk)
    yield
  }
  return { json: Buffer.concat(chunks), digest: hash.digest('base64url').slice(0, 22) }
}

/** A document in pieces: objects member by member, long lists some elements at a time. */
function* jsonPieces(value: unknown, parts: KnownParts): Generator<Uint8Array | JsonBytes> {
  const known = parts.get(value)
  if (known !== undefined) yield known
  else if (Array.isArray(value) && value.length > ELEMENTS_PER_PIECE) yield* listPieces(value)
  else if (typeof value === 'object' && value !== null && !Array.isArray(value)) yield* objectPieces(value, parts)
  else yield Buffer.from(JSON.stringify(value))
}

function* listPieces(list: readonly unknown[]): Generator<Uint8Array> {
  for (let start = 0; start < list.length; start += ELEMENTS_PER_PIECE) {
    // Each piece comes in brackets of its own: between two pieces one of them becomes the comma and the other is left out.
    const piece = Buffer.from(JSON.stringify(list.slice(start, start + ELEMENTS_PER_PIECE)))
    if (start > 0) piece[0] = COMMA
    yield start + ELEMENTS_PER_PIECE < list.length ? piece.subarray(0, -1) : piece
  }
}

const COMMA = 0x2c

function* objectPieces(value: object, parts: KnownParts): Generator<Uint8Array | JsonBytes> {
  let opening = '{'
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    yield Buffer.from(`${opening}${JSON.stringify(name)}:`)
    opening = ','
    yield* jsonPieces(member, parts)
  }
  yield Buffer.from(opening === '{' ? '{}' : '}')
}
