/** An answer of RESP2: a simple string, an error, a number, a bulk string as its bytes, null, or an array of answers. */
export type RespReply = string | RespError | number | Uint8Array | null | readonly RespReply[]

/** An error that the other side answers, without its sign; the connection goes on. */
export class RespError extends Error {
  override readonly name = 'RespError'
}

/** Bytes of one answer, with all that it contains. */
const REPLY_BYTES_MAX = 32 * 1024 * 1024
const LINE_BYTES_MAX = 4 * 1024
const DEPTH_MAX = 3
const ITEMS_MAX = 100_000
const LINE_END = '\r\n'

/** A command as an array of bulk strings, the only form that the proxy takes. */
export function encodeCommand(...words: readonly string[]): string {
  const bulks = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
  return `*${words.length}\r\n${bulks.join('')}`
}

/** Takes what came over the wire, in pieces of any size, and returns the answers that are whole now. Throws on bytes that are not RESP2 or exceed its limits here. */
export function createRespDecoder(): (chunk: Uint8Array) => readonly RespReply[] {
  let chunks: Uint8Array[] = []
  let size = 0
  let taken = 0
  let parsing = parseReply()
  let wanted = parsing.next()
  return (chunk) => {
    const replies: RespReply[] = []
    chunks.push(chunk)
    size += chunk.length
    for (;;) {
      const length = wanted.done ? 0 : wanted.value
      // Joined once when all is there, not with each of its pieces.
      if (length !== 'line' && size < length + LINE_END.length) break
      const bytes = Buffer.concat(chunks)
      chunks = [bytes]
      const end = length === 'line' ? bytes.indexOf('\n') - 1 : length
      if (length === 'line' && (end < -1 ? size : end) > LINE_BYTES_MAX)
        throw new Error('a line is too long')
      if (end < -1) break
      if (bytes.toString('latin1', Math.max(0, end), end + 2) !== LINE_END)
        throw new Error('a line has no end')
      chunks = [bytes.subarray(end + 2)]
      size -= end + 2
      taken += end + 2
      if (taken > REPLY_BYTES_MAX) throw new Error('an answer is too long')
      wanted = parsing.next(bytes.subarray(0, end))
      if (!wanted.done) continue
      replies.push(wanted.value)
      taken = 0
      parsing = parseReply()
      wanted = parsing.next()
    }
    return replies
  }
}

/** Parses one answer: yields the length of the bytes that it wants next, or that it wants a line. */
function* parseReply(depth = 0): Generator<number | 'line', RespReply, Buffer> {
  const line = (yield 'line').toString()
  const rest = line.slice(1)
  switch (line[0]) {
    case '+':
      return rest
    case '-':
      return new RespError(rest)
    case ':':
      return countIn(rest, Number.MAX_SAFE_INTEGER)
    case '$': {
      const length = countIn(rest, REPLY_BYTES_MAX)
      return length < 0 ? null : yield length
    }
    case '*': {
      const length = countIn(rest, ITEMS_MAX)
      if (length > 0 && depth === DEPTH_MAX) throw new Error('arrays are nested too deeply')
      const items: RespReply[] = []
      while (items.length < length) items.push(yield* parseReply(depth + 1))
      return length < 0 ? null : items
    }
    default:
      throw new Error('the answer is not RESP')
  }
}

/** A whole number from -1 up to `max`. */
function countIn(text: string, max: number): number {
  const count = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(count >= -1 && count <= max)) throw new Error('a length is out of range')
  return count
}
