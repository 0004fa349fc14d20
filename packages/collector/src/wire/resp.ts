/** An answer of RESP2: a simple string, an error, a number, a bulk string as its bytes, null, or an array of answers. */
export type RespReply = string | RespError | number | Uint8Array | null | readonly RespReply[]

/** An error that the other side answers, without its sign; the connection goes on. */
export class RespError extends Error {
  override readonly name = 'RespError'
}

/** Bytes that are not RESP2, or exceed its limits here. What follows cannot be read any more. */
export class RespSyntaxError extends Error {
  override readonly name = 'RespSyntaxError'
}

export interface RespDecoder {
  /** Takes what came over the wire and returns the answers that are whole now. Throws RespSyntaxError. */
  push(chunk: Uint8Array): readonly RespReply[]
}

/** Bytes of one answer, with all that it contains. */
const REPLY_BYTES_MAX = 32 * 1024 * 1024
const LINE_BYTES_MAX = 4 * 1024
const DEPTH_MAX = 3
const ITEMS_MAX = 100_000
const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** A command as an array of bulk strings, the only form that the proxy takes. */
export function encodeCommand(...words: readonly string[]): string {
  const bulks = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
  return `*${words.length}\r\n${bulks.join('')}`
}

export function createRespDecoder(): RespDecoder {
  let line: Uint8Array[] = []
  /** Bulk string that is not whole, with the bytes of its end; null between two. */
  let bulk: { readonly chunks: Uint8Array[]; left: number } | null = null
  /** Open arrays, the outermost first. */
  let open: { readonly items: RespReply[]; readonly length: number }[] = []
  let bytes = 0
  let replies: RespReply[] = []

  const add = (reply: RespReply) => {
    let whole = reply
    for (let array = open.at(-1); array !== undefined; array = open.at(-1)) {
      array.items.push(whole)
      if (array.items.length < array.length) return
      open = open.slice(0, -1)
      whole = array.items
    }
    replies.push(whole)
    bytes = 0
  }

  const takeLine = (text: string) => {
    const rest = text.slice(1)
    switch (text[0]) {
      case '+':
        return add(rest)
      case '-':
        return add(new RespError(rest))
      case ':':
        return add(countIn(rest, Number.MAX_SAFE_INTEGER))
      case '$': {
        const length = countIn(rest, REPLY_BYTES_MAX)
        if (length < 0) return add(null)
        bulk = { chunks: [], left: length + 2 }
        return
      }
      case '*': {
        const length = countIn(rest, ITEMS_MAX)
        if (length < 1) return add(length < 0 ? null : [])
        if (open.length === DEPTH_MAX) throw new RespSyntaxError('arrays are nested too deeply')
        open = [...open, { items: [], length }]
        return
      }
      default:
        throw new RespSyntaxError('the answer is not RESP')
    }
  }

  /** Takes a part of a bulk string and returns its length. */
  const takeBulk = (part: { readonly chunks: Uint8Array[]; left: number }, chunk: Uint8Array) => {
    const taken = chunk.subarray(0, part.left)
    part.chunks.push(taken)
    part.left -= taken.length
    if (part.left === 0) {
      bulk = null
      const whole = Buffer.concat(part.chunks)
      if (!whole.subarray(-2).equals(END)) throw new RespSyntaxError('a bulk string has no end')
      add(whole.subarray(0, -2))
    }
    return taken.length
  }

  /** Takes a part of a line and returns its length. */
  const takePart = (chunk: Uint8Array) => {
    const end = chunk.indexOf(LINE_FEED)
    const taken = end < 0 ? chunk : chunk.subarray(0, end + 1)
    line.push(taken)
    if (line.reduce((sum, { length }) => sum + length, 0) > LINE_BYTES_MAX)
      throw new RespSyntaxError('a line is too long')
    if (end >= 0) {
      const whole = Buffer.concat(line)
      line = []
      if (whole.at(-2) !== CARRIAGE_RETURN) throw new RespSyntaxError('a line has no end')
      takeLine(whole.toString('utf8', 0, whole.length - 2))
    }
    return taken.length
  }

  return {
    push(chunk) {
      replies = []
      for (let at = 0; at < chunk.length; ) {
        const rest = chunk.subarray(at)
        const length = bulk === null ? takePart(rest) : takeBulk(bulk, rest)
        at += length
        bytes = open.length === 0 && bulk === null ? 0 : bytes + length
        if (bytes > REPLY_BYTES_MAX) throw new RespSyntaxError('an answer is too long')
      }
      return replies
    },
  }
}

const END = Buffer.from('\r\n')

/** A whole number from -1 up to `max`. */
function countIn(text: string, max: number): number {
  const count = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(count >= -1 && count <= max)) throw new RespSyntaxError('a length is out of range')
  return count
}
