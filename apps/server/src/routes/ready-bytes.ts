import type { IncomingHttpHeaders } from 'node:http'
import type { EncodedPayload } from '../monitor/payloads.ts'
import { securityHeaders } from '../response-headers.ts'
import { accepts } from './accept-encoding.ts'

type Headers = Readonly<Record<string, string>>

interface PreparedForm {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly etag: string
  readonly headers: Headers
  readonly headersNotModified: Headers
}

interface PreparedAnswer {
  readonly plain: PreparedForm
  readonly compressed: PreparedForm
}

/** Headers of each payload, made once for all requests it answers. */
const preparedAnswers = new WeakMap<EncodedPayload, PreparedAnswer>()

/** Answers with bytes that are ready: compressed where the client takes it, 304 where it has them already. */
export function readyBytes(payload: EncodedPayload, headers: IncomingHttpHeaders): Response {
  const answer = preparedAnswerOf(payload)
  const form = accepts(headers['accept-encoding'], 'gzip') ? answer.compressed : answer.plain
  if (hasEtag(headers['if-none-match'], form.etag)) return new Response(null, { status: 304, headers: form.headersNotModified })
  return new Response(form.bytes, { headers: form.headers })
}

function preparedAnswerOf(payload: EncodedPayload): PreparedAnswer {
  const known = preparedAnswers.get(payload)
  if (known !== undefined) return known
  const prepared = {
    plain: formOf(payload, payload.plain, payload.plainEtag, {}),
    compressed: formOf(payload, payload.gzip, payload.gzipEtag, { 'Content-Encoding': 'gzip' }),
  }
  preparedAnswers.set(payload, prepared)
  return prepared
}

function formOf({ contentType }: EncodedPayload, bytes: Uint8Array<ArrayBuffer>, etag: string, encoding: Headers): PreparedForm {
  const headersNotModified = { ...securityHeaders, ETag: etag }
  const headers = { ...headersNotModified, 'Content-Type': contentType, 'Content-Length': String(bytes.byteLength), ...encoding }
  return { bytes, etag, headers, headersNotModified }
}

/** Whether the validators of If-None-Match include this one. The comparison is weak. Source: RFC 9110 13.1.2. */
export function hasEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag) return true
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}
