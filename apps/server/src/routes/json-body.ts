import type { IncomingMessage } from 'node:http'

/** See docs/limits.md#what-a-client-may-take-up. */
const BODY_BYTES_MAX = 4 * 1024

/** The body of an action as text, empty if there is none. `too_large` is detected before all of it is read; `not_json` if its type is another one. */
export async function jsonBodyOf(
  request: IncomingMessage,
): Promise<{ readonly text: string } | 'too_large' | 'not_json'> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) return 'too_large'
  const chunks: Buffer[] = []
  let length = 0
  // The connection must survive an early exit from the loop until the answer is sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > BODY_BYTES_MAX) return 'too_large'
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString()
  return text === '' || isJson(request.headers['content-type']) ? { text } : 'not_json'
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json'
}
