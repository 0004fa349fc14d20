import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ErrorSlug, errorBodies } from '@svc/views'
import { JSON_TYPE, securityHeaders } from '../answers/response-headers.ts'

/** Longest time a connection outlives the answer that ended it. */
const LINGER_MS = 1_000

const SLUG_BY_PARSER_CODE: Readonly<Record<string, ErrorSlug>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Answers a malformed request that never reached the app, in readable form. */
export function onClientError(
  error: NodeJS.ErrnoException,
  socket: Socket & { readonly _httpMessage?: unknown },
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const { httpStatus, body } = errorBodies[SLUG_BY_PARSER_CODE[error.code ?? ''] ?? 'bad_request']
  const text = JSON.stringify(body)
  const headers = {
    ...securityHeaders,
    'Content-Type': JSON_TYPE,
    'Content-Length': String(Buffer.byteLength(text)),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  // A client that does not close its side is closed a little later, so that it can still read the answer.
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(lingering))
  socket.end(`HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}\r\n${lines.join('')}\r\n${text}`)
}
