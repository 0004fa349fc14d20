import { UpstreamError } from './upstream-error.ts'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/** Reads an answer that must be JSON, counting its bytes as they arrive. Throws UpstreamError: bad_payload, too_large. */
export async function readJson(response: Response, bytesMax: number): Promise<unknown> {
  const type = response.headers.get('content-type')
  if (type === null || !JSON_TYPE.test(type)) {
    dropBody(response)
    throw refusedPayload(response, `the answer is ${nameOfType(type)}, not JSON`)
  }
  const text = await readText(response, bytesMax)
  if (text.trim() === '') throw refusedPayload(response, 'the answer is empty')
  return parseJson(text)
}

/** Parses without quoting the text in its error. Throws UpstreamError: bad_payload. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UpstreamError('bad_payload', 'the answer is not valid JSON')
  }
}

/**
 * Reads a body as UTF-8; a byte-order mark is dropped, invalid bytes become U+FFFD. An encoded body is refused unread, because inflating it has no
 * bound. Throws UpstreamError: bad_payload, too_large.
 */
export async function readText(response: Response, bytesMax: number): Promise<string> {
  const encoding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding !== '' && encoding !== 'identity') {
    dropBody(response)
    throw refusedPayload(response, 'the answer is compressed, which was not asked for')
  }
  if (response.body === null) return ''

  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > bytesMax) {
      reader.cancel().catch(() => undefined)
      throw new UpstreamError('too_large', `the answer is larger than ${bytesMax} bytes`, { httpStatus: response.status })
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Frees the connection of an answer whose body is of no use. */
export function dropBody(response: Response): void {
  response.body?.cancel().catch(() => undefined)
}

function refusedPayload(response: Response, message: string): UpstreamError {
  return new UpstreamError('bad_payload', message, { httpStatus: response.status })
}

/** The type in our own words; the header itself is foreign text. */
function nameOfType(type: string | null): string {
  if (type === null) return 'without a content type'
  if (/^(?:text\/html|application\/xhtml\+xml)/i.test(type)) return 'an HTML page (text/html)'
  return /^text\//i.test(type) ? 'text' : 'of another content type'
}
