import { createJsonPieces, PieceError } from '../wire/json-pieces.ts'
import { UpstreamError } from './upstream-error.ts'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/** Largest element (one account or one record); everything else is the frame. See docs/upstream.md#sizes. */
const ELEMENT_BYTES_MAX = 1024 * 1024
const FRAME_BYTES_MAX = 4 * 1024 * 1024
const DEPTH_MAX = 64
/** See docs/limits.md#calls-to-the-proxy. */
export const ELEMENTS_MAX = 20_000

/**
 * Parses a JSON answer as its bytes arrive. List elements larger than 1 MB, nested deeper than 64 or after the first 20,000 become null. Throws
 * UpstreamError: bad_payload, too_large.
 */
export async function readJson(response: Response, bytesMax: number): Promise<unknown> {
  requireJson(response)
  const pieces = createJsonPieces({
    listDepth: 2,
    frameBytesMax: FRAME_BYTES_MAX,
    elementBytesMax: ELEMENT_BYTES_MAX,
    elementsMax: ELEMENTS_MAX,
    depthMax: DEPTH_MAX,
  })
  let empty = true
  try {
    for await (const chunk of bytesOf(response, bytesMax)) {
      empty = false
      pieces.push(chunk)
    }
    if (empty) throw refusedPayload(response, 'the answer is empty')
    return pieces.end()
  } catch (error) {
    if (!(error instanceof PieceError)) throw error
    if (error.code === 'too_large')
      throw new UpstreamError('too_large', 'the answer is larger than any of its kind', {
        httpStatus: response.status,
      })
    throw refusedPayload(
      response,
      error.code === 'too_deep'
        ? 'the answer is nested too deeply'
        : 'the answer is not valid JSON',
    )
  }
}

/** Passes on the bytes of a JSON answer as they arrive, unparsed. Throws UpstreamError: bad_payload, too_large. */
export async function passJson(
  response: Response,
  bytesMax: number,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  requireJson(response)
  for await (const chunk of bytesOf(response, bytesMax)) take(chunk)
}

function requireJson(response: Response): void {
  const type = response.headers.get('content-type')
  if (type !== null && JSON_TYPE.test(type)) return
  dropBody(response)
  throw refusedPayload(response, `the answer is ${nameOfType(type)}, not JSON`)
}

/** Parses without quoting the text in its error. Throws UpstreamError: bad_payload. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UpstreamError('bad_payload', 'the answer is not valid JSON')
  }
}

/** Reads a body as UTF-8; a byte-order mark is dropped, invalid bytes become U+FFFD. Throws UpstreamError: bad_payload, too_large. */
export async function readBodyText(response: Response, bytesMax: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of bytesOf(response, bytesMax))
    text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

const endings = new WeakMap<Response, AbortSignal>()

/** The answer, whose body is then read until the signal at the latest: `fetch` may ignore the signal once the headers have arrived. */
export function endingWith(signal: AbortSignal, answer: Response): Response {
  endings.set(answer, signal)
  return answer
}

/** The bytes of a body, counted as they arrive; rejects at the end of its time. An encoded body is refused unread, because inflating it has no bound. */
async function* bytesOf(response: Response, bytesMax: number): AsyncGenerator<Uint8Array> {
  const encoding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding !== '' && encoding !== 'identity') {
    dropBody(response)
    throw refusedPayload(response, 'the answer is compressed, which was not asked for')
  }
  const reader = response.body?.getReader()
  const cancel = () => void reader?.cancel().catch(() => undefined)
  const signal = endings.get(response)
  signal?.addEventListener('abort', cancel)
  let bytes = 0
  try {
    while (reader !== undefined) {
      signal?.throwIfAborted()
      const { done, value } = await reader.read()
      signal?.throwIfAborted()
      if (done) return
      bytes += value.byteLength
      if (bytes > bytesMax)
        throw new UpstreamError('too_large', `the answer is larger than ${bytesMax} bytes`, {
          httpStatus: response.status,
        })
      yield value
    }
  } finally {
    // Runs also if the reader stops early.
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}

/** Frees the connection of an answer whose body is not needed. */
export function dropBody(response: Response): void {
  response.body?.cancel().catch(() => undefined)
}

function refusedPayload(response: Response, message: string): UpstreamError {
  return new UpstreamError('bad_payload', message, { httpStatus: response.status })
}

/** Describes the content type in our own words, because the header is foreign text. */
function nameOfType(type: string | null): string {
  if (type === null) return 'without a content type'
  if (/^(?:text\/html|application\/xhtml\+xml)/i.test(type)) return 'an HTML page (text/html)'
  return /^text\//i.test(type) ? 'text' : 'of another content type'
}
