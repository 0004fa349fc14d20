import type { EncodedPayload } from '../monitor/payloads.ts'
import { JSON_TYPE, securityHeaders } from '../response-headers.ts'

/** Answers with bytes that are ready: compressed where the client takes it, 304 where it has them already. */
export function readyBytes(payload: EncodedPayload, request: Request): Response {
  const compressed = acceptsGzip(request.headers.get('accept-encoding'))
  const etag = compressed ? payload.gzipEtag : payload.jsonEtag
  if (hasEtag(request.headers.get('if-none-match'), etag)) {
    return new Response(null, { status: 304, headers: { ...securityHeaders, ETag: etag } })
  }
  const bytes = compressed ? payload.gzip : payload.json
  const headers = { ...securityHeaders, 'Content-Type': JSON_TYPE, 'Content-Length': String(bytes.byteLength), ETag: etag }
  return new Response(bytes, { headers: compressed ? { ...headers, 'Content-Encoding': 'gzip' } : headers })
}

/** Whether gzip is among what the client takes, with a weight above 0. Source: RFC 9110 12.5.3. */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null) return false
  let any = false
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const refused = parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter))
    if (name === 'gzip') return !refused
    if (name === '*') any = !refused
  }
  return any
}

/** Whether the validators of If-None-Match include this one. The comparison is weak. Source: RFC 9110 13.1.2. */
export function hasEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}
