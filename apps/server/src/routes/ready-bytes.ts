import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { answerVersionOf, type Compression, type ReadyAnswer, type ReadyForm } from '@svc/monitor'

interface Accepted {
  readonly br: boolean
  readonly gzip: boolean
}

/** Maximum number of header values whose parsed form is kept; there are only a few kinds of clients. */
const REMEMBERED_MAX = 64
const remembered = new Map<string, Accepted>()

/** Whether the client accepts a coding with a weight above 0. Source: RFC 9110 12.5.3. */
export function accepts(acceptEncoding: string | undefined, coding: keyof Accepted): boolean {
  if (acceptEncoding === undefined) return false
  let accepted = remembered.get(acceptEncoding)
  if (accepted === undefined) {
    accepted = { br: names(acceptEncoding, 'br'), gzip: names(acceptEncoding, 'gzip') }
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    remembered.set(acceptEncoding, accepted)
  }
  return accepted[coding]
}

/** Best compression accepted by this client. */
export function acceptedCompression(acceptEncoding: string | undefined): Compression {
  if (accepts(acceptEncoding, 'br')) return 'br'
  return accepts(acceptEncoding, 'gzip') ? 'gzip' : 'none'
}

function names(acceptEncoding: string, coding: string): boolean {
  let any = false
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const refused = parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter))
    if (name === coding) return !refused
    if (name === '*') any = !refused
  }
  return any
}

/** Answers with the smallest form the client accepts, or 304 if the client has it. */
export function readyBytes(
  answer: ReadyAnswer,
  { 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch }: IncomingHttpHeaders,
): Response {
  const { bytes, etag, headers, unchangedHeaders } = formFor(answer, acceptEncoding)
  return hasEtag(ifNoneMatch, etag)
    ? new Response(null, { status: 304, headers: unchangedHeaders })
    : new Response(bytes, { headers })
}

/** The answer with `warnings` as its first member. Its bytes are copied rather than encoded again, and sent uncompressed. */
export function withWarnings(answer: ReadyAnswer, warnings: readonly string[]): ReadyAnswer {
  if (warnings.length === 0) return answer
  const { plain } = answer
  // Replaces the opening brace of the object, which is never empty.
  const start = new TextEncoder().encode(`{"warnings":${JSON.stringify(warnings)},`)
  const bytes = new Uint8Array(start.length + plain.bytes.length - 1)
  bytes.set(start)
  bytes.set(plain.bytes.subarray(1), start.length)
  const ETag = `"${answerVersionOf(answer)}-${createHash('sha256').update(start).digest('hex').slice(0, 8)}"`
  const form: ReadyForm = {
    bytes,
    etag: ETag,
    headers: { ...plain.headers, ETag, 'Content-Length': String(bytes.length) },
    unchangedHeaders: { ...plain.unchangedHeaders, ETag },
  }
  return { compression: 'none', plain: form, gzip: null, br: null }
}

function formFor({ plain, gzip, br }: ReadyAnswer, acceptEncoding: string | undefined): ReadyForm {
  if (acceptEncoding === undefined) return plain
  if (br !== null && accepts(acceptEncoding, 'br')) return br
  return gzip !== null && accepts(acceptEncoding, 'gzip') ? gzip : plain
}

/** Whether the validators of If-None-Match include this one. The comparison is weak. Source: RFC 9110 13.1.2. */
export function hasEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag) return true
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}
