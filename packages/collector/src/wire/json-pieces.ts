/** What is read of a document at most; null elements stand for those that are larger or deeper. */
export interface PieceLimits {
  /** How deep the lists lie whose elements are read one by one, inside of nothing but objects: 2 for `{"files":[{…},{…}]}`. */
  readonly listDepth: number
  /** Bytes of everything but the elements of a list. */
  readonly frameBytesMax: number
  readonly elementBytesMax: number
  /** Nesting inside an element, and around the elements. */
  readonly depthMax: number
}

/** Why a document is not read on. */
export class PieceError extends Error {
  override readonly name = 'PieceError'
  readonly code: 'too_large' | 'too_deep' | 'invalid'

  constructor(code: PieceError['code']) {
    super(code)
    this.code = code
  }
}

/** Reads one JSON document piece by piece. */
export interface JsonPieces {
  /** Takes the next bytes. Throws PieceError. */
  push(chunk: Uint8Array): void
  /** The document. Throws PieceError: invalid, as JSON.parse would. */
  end(): unknown
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const ONE_SPACE = Buffer.from(' ')
const FRAME_BYTES = 1024

/** What a byte outside of strings does; 0 for all that is part of a token. */
const [QUOTES, OPENS, CLOSES, SEPARATES] = [1, 2, 3, 4]
const ROLE_OF_BYTE = rolesOf({
  '"': QUOTES,
  '[': OPENS,
  '{': OPENS,
  ']': CLOSES,
  '}': CLOSES,
  ' ': SEPARATES,
  '\t': SEPARATES,
  '\n': SEPARATES,
  '\r': SEPARATES,
})

function rolesOf(roleByCharacter: Readonly<Record<string, number>>): Uint8Array {
  const roles = new Uint8Array(256)
  for (const [character, role] of Object.entries(roleByCharacter))
    roles[character.charCodeAt(0)] = role
  return roles
}

/**
 * Parses what JSON.parse would parse, but never much at a time: the objects of the lists at `listDepth` are parsed one by one as they arrive, so that
 * a list of thousands is not held as text. Everything around them is the frame: it is parsed at the end, with a
 * placeholder where each element was.
 */
export function createJsonPieces(limits: PieceLimits): JsonPieces {
  const elements: unknown[] = []
  let frame = new Uint8Array(FRAME_BYTES)
  let frameBytes = 0
  /** Bytes of the element under way from earlier chunks; null outside of one. */
  let element: Uint8Array[] | null = null
  let elementBytes = 0
  let unreadable = false
  let depth = 0
  let inString = false
  let escaped = false
  /** Lists under way around the depth where elements are looked for. */
  let outerLists = 0
  let isList = false

  const addToFrame = (bytes: Uint8Array) => {
    const length = frameBytes + bytes.length
    if (length > limits.frameBytesMax) throw new PieceError('too_large')
    if (length > frame.length) {
      const larger = new Uint8Array(Math.max(length, 2 * frame.length))
      larger.set(frame)
      frame = larger
    }
    frame.set(bytes, frameBytes)
    frameBytes = length
  }
  const addToElement = (bytes: Uint8Array) => {
    elementBytes += bytes.length
    if (elementBytes > limits.elementBytesMax) unreadable = true
    if (unreadable) element = []
    else element?.push(bytes)
  }
  const closeElement = () => {
    elements.push(unreadable ? null : parse(textOf(element ?? [])))
    addToFrame(Buffer.from(`{"":${elements.length - 1}}`))
    element = null
    elementBytes = 0
    unreadable = false
  }
  const open = (byte: number) => {
    depth += 1
    if (depth > limits.depthMax) {
      if (element === null) throw new PieceError('too_deep')
      unreadable = true
    }
    if (depth < limits.listDepth && byte === OPEN_LIST) outerLists += 1
    if (depth === limits.listDepth) isList = byte === OPEN_LIST
  }

  return {
    push(chunk) {
      let start = 0
      for (let index = 0; index < chunk.length; index += 1) {
        const byte = chunk[index] ?? 0
        if (inString) {
          if (escaped) escaped = false
          else if (byte === BACKSLASH) escaped = true
          else if (byte === QUOTE) inString = false
          continue
        }
        switch (ROLE_OF_BYTE[byte]) {
          case QUOTES:
            inString = true
            break
          case OPENS:
            if (
              element === null &&
              depth === limits.listDepth &&
              byte === OPEN_OBJECT &&
              isList &&
              outerLists === 0
            ) {
              addToFrame(chunk.subarray(start, index))
              start = index
              element = []
            }
            open(byte)
            break
          case CLOSES:
            if (byte === CLOSE_LIST && depth < limits.listDepth) outerLists -= 1
            depth -= 1
            if (element === null || depth !== limits.listDepth) break
            addToElement(chunk.subarray(start, index + 1))
            start = index + 1
            closeElement()
            break
          case SEPARATES:
            if (element !== null) break
            addToFrame(chunk.subarray(start, index))
            while (ROLE_OF_BYTE[chunk[index + 1] ?? 0] === SEPARATES) index += 1
            start = index + 1
            // One is kept, for two tokens must not become one; the rest would only fill the frame.
            if (frame[frameBytes - 1] !== SPACE) addToFrame(ONE_SPACE)
            break
          default:
        }
      }
      if (element === null) addToFrame(chunk.subarray(start))
      // The next chunk may reuse the memory of this one.
      else addToElement(chunk.slice(start))
    },
    end() {
      if (element !== null) throw new PieceError('invalid')
      const root = parse(new TextDecoder().decode(frame.subarray(0, frameBytes)))
      putBack(root, elements, limits.listDepth)
      return root
    },
  }
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
