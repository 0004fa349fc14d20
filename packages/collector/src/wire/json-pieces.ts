import { createJsonTokens, JsonTokenKind } from '@svc/json-stream'

/** Limits for reading a document. Elements that are too large, too deep or too numerous become null. */
export interface PieceLimits {
  /** Depth of the lists whose elements are read one by one; only objects may surround them: 2 for `{"files":[{…},{…}]}`. */
  readonly listDepth: number
  /** Maximum number of bytes of the document outside the elements. */
  readonly frameBytesMax: number
  readonly elementBytesMax: number
  /** Maximum number of elements that are read; later elements become null. Absent for no limit. */
  readonly elementsMax?: number
  /** Deepest nesting inside an element, and around the elements. */
  readonly depthMax: number
}

/** Error that ends the reading of a document. */
export class PieceError extends Error {
  override readonly name = 'PieceError'
  readonly code: 'too_large' | 'too_deep' | 'invalid'

  constructor(code: PieceError['code']) {
    super(code)
    this.code = code
  }
}

const SPACE = 0x20
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const ONE_SPACE = Buffer.from(' ')
const FRAME_BYTES = 1024

const BRACKETS = JsonTokenKind.open | JsonTokenKind.close
const BLANKS = JsonTokenKind.blank | JsonTokenKind.line

/**
 * Parses JSON like JSON.parse, but in small parts. The objects in the lists at `listDepth` are parsed one by one as they arrive, so that a list of
 * thousands is never held as text. The rest, called the frame, is parsed at the end with a placeholder for each element.
 */
export function createJsonPieces(limits: PieceLimits) {
  const { elementsMax = Number.POSITIVE_INFINITY } = limits
  const tokens = createJsonTokens()
  const frame = createFrame(limits.frameBytesMax)
  const place = createPlace(limits.listDepth)
  const elements: unknown[] = []
  const element = createElement(limits.elementBytesMax)
  let bytesBefore = 0

  const open = ({ bytes }: Chunk, start: number, index: number): number => {
    const isList = bytes[index] === OPEN_LIST
    const begins = !isList && !element.isUnderWay() && place.isInList()
    if (begins) {
      frame.add(bytes.subarray(start, index))
      element.begin()
      if (elements.length >= elementsMax) element.giveUp()
    }
    if (place.open(isList) > limits.depthMax) {
      if (!element.isUnderWay()) throw new PieceError('too_deep')
      element.giveUp()
    }
    return begins ? index : start
  }
  const close = (chunk: Chunk, start: number, index: number): number => {
    const depth = place.close(chunk.bytes[index] === CLOSE_LIST)
    if (depth !== limits.listDepth || !element.isUnderWay()) return start
    frame.add(Buffer.from(`{"":${elements.length}}`))
    elements.push(element.end(chunk, start, index + 1))
    return index + 1
  }
  const skipBlank = ({ bytes }: Chunk, start: number, index: number): number => {
    frame.add(bytes.subarray(start, index))
    // Keeps one blank, so that two tokens do not become one; more blanks would only fill the frame.
    if (!frame.endsWithSpace()) frame.add(ONE_SPACE)
    return index + 1
  }

  return {
    /** Parses the next bytes. Throws PieceError. */
    push(bytes: Uint8Array) {
      const chunk = chunkOf(bytes)
      tokens.give(chunk.latin1, bytesBefore, false)
      let start = 0
      for (;;) {
        const kind = tokens.next(element.isUnderWay() ? BRACKETS : BRACKETS | BLANKS)
        if (kind === 0) break
        const index = tokens.start - bytesBefore
        if (kind === JsonTokenKind.open) start = open(chunk, start, index)
        else if (kind === JsonTokenKind.close) start = close(chunk, start, index)
        else start = skipBlank(chunk, start, index)
      }
      // The next chunk may reuse the memory of this one.
      if (element.isUnderWay()) element.add(bytes.slice(start))
      else frame.add(bytes.subarray(start))
      bytesBefore += bytes.length
    },
    /** The parsed document. Throws PieceError `invalid` wherever JSON.parse would throw. */
    end(): unknown {
      if (element.isUnderWay()) throw new PieceError('invalid')
      const root = parse(new TextDecoder().decode(frame.bytes()))
      putBack(root, elements, limits.listDepth)
      return root
    },
  }
}

/** Tracks the reader's depth and whether the reader is directly in a list at `listDepth`. */
function createPlace(listDepth: number) {
  let depth = 0
  /** Number of open lists above `listDepth`. */
  let outerLists = 0
  let isList = false
  return {
    isInList: () => depth === listDepth && isList && outerLists === 0,
    /** Returns the new depth. */
    open(opensList: boolean): number {
      depth += 1
      if (depth < listDepth && opensList) outerLists += 1
      if (depth === listDepth) isList = opensList
      return depth
    },
    close(closesList: boolean): number {
      if (closesList && depth < listDepth) outerLists -= 1
      depth -= 1
      return depth
    },
  }
}

/** Collects the bytes outside of the elements. */
function createFrame(bytesMax: number) {
  let frame = new Uint8Array(FRAME_BYTES)
  let length = 0
  return {
    add(bytes: Uint8Array): void {
      const lengthThen = length + bytes.length
      if (lengthThen > bytesMax) throw new PieceError('too_large')
      if (lengthThen > frame.length) {
        const larger = new Uint8Array(Math.max(lengthThen, 2 * frame.length))
        larger.set(frame)
        frame = larger
      }
      frame.set(bytes, length)
      length = lengthThen
    },
    endsWithSpace: () => frame[length - 1] === SPACE,
    bytes: () => frame.subarray(0, length),
  }
}

/** Collects the bytes of the open element while it is not too large. */
function createElement(bytesMax: number) {
  let parts: Uint8Array[] = []
  let length = 0
  let isUnderWay = false
  let isReadable = true
  const giveUp = () => {
    isReadable = false
    parts = []
  }
  const add = (bytes: Uint8Array) => {
    length += bytes.length
    if (length > bytesMax) giveUp()
    if (isReadable) parts.push(bytes)
  }
  return {
    isUnderWay: () => isUnderWay,
    begin(): void {
      isUnderWay = true
      isReadable = true
      length = 0
    },
    add,
    /** Drops the element's bytes; its value will be null. */
    giveUp,
    /** Parses the element with its last bytes; null if its bytes were dropped. */
    end({ bytes, latin1, isAscii }: Chunk, from: number, to: number): unknown {
      const isWhole = parts.length === 0 && isReadable
      if (isWhole && isAscii && to - from <= bytesMax) {
        isUnderWay = false
        return parse(latin1.slice(from, to))
      }
      add(bytes.subarray(from, to))
      const value = isReadable ? parse(textOf(parts)) : null
      parts = []
      isUnderWay = false
      return value
    },
  }
}

interface Chunk {
  readonly bytes: Uint8Array
  /** The bytes as text, one character per byte. */
  readonly latin1: string
  /** Whether all bytes are ASCII, so that `latin1` is the text itself. */
  readonly isAscii: boolean
}

function chunkOf(bytes: Uint8Array): Chunk {
  const { buffer, byteOffset, byteLength } = bytes
  const latin1 = Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
  return { bytes, latin1, isAscii: Buffer.byteLength(latin1) === byteLength }
}

function putBack(value: unknown, elements: readonly unknown[], listDepth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (listDepth > 1) {
    if (!Array.isArray(value))
      for (const member of Object.values(value)) putBack(member, elements, listDepth - 1)
    return
  }
  if (!Array.isArray(value)) return
  const list: unknown[] = value
  for (const [index, placeholder] of list.entries()) {
    if (typeof placeholder === 'object' && placeholder !== null && '' in placeholder)
      list[index] = elements[Number(placeholder[''])]
  }
}

function textOf(parts: readonly Uint8Array[]): string {
  const [first] = parts
  if (first === undefined || parts.length > 1) return Buffer.concat(parts).toString()
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength).toString()
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new PieceError('invalid')
  }
}
