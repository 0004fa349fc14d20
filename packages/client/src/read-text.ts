/** Text of a body of at most so many bytes; null for a longer one. What is not read to its end is cancelled. */
export async function readText(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<string | null> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    while (reader !== undefined) {
      const { done, value } = await reader.read()
      if (done) break
      bytes += value.byteLength
      if (bytes > bytesMax) return null
      text += decoder.decode(value, { stream: true })
    }
    return text + decoder.decode()
  } finally {
    reader?.cancel().catch(() => undefined)
  }
}
