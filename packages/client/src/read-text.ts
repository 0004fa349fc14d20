/**
 * Text of a body of at most `bytesMax`; null for a longer one. Cancels a body that is not read to its end. Rejects with the reason of the signal.
 * `fetch` may ignore the signal once the headers have arrived, so this function listens to it too.
 */
export async function readText(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
  signal: AbortSignal,
): Promise<string | null> {
  const reader = body?.getReader()
  const cancel = () => void reader?.cancel().catch(() => undefined)
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  signal.addEventListener('abort', cancel)
  try {
    while (reader !== undefined) {
      const { done, value } = await reader.read()
      if (done) break
      bytes += value.byteLength
      if (bytes > bytesMax) return null
      text += decoder.decode(value, { stream: true })
    }
    signal.throwIfAborted()
    return text + decoder.decode()
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
  }
}
