/** What is read of a document at most; null elements stand for those that are larger or deeper. */
export interface PieceLimits {
  /** Bytes of all that is no element of a list. */
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
const OPEN_LIST = 0x5b
const OPEN_OBJECT = 0x7b
const ONE_SPACE = new Uint8Array(Buffer.from(' '))

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
  for (const [character, role] of Object.entries(roleByCharacter)) roles[character.charCodeAt(0)] = role
  return roles
}

/**
 * Parses what JSON.parse would parse, but never much at a time: the objects of a list that is a member of the root (`{"files":[{…},{…}]}`) are parsed
 * one by one as they arrive, so that a list of thousands neither stalls the event loop nor is held as text. Everything around them is the frame: it
 * is parsed at the end, with a placeholder where each element was.
 */
export function createJsonPieces(limits: PieceLimits): JsonPieces {
  const elements: unknown[] = []
  const frame: Uint8Array[] = []
  let frameBytes = 0
  /** Bytes of the element under way from earlier chunks; null outside of one. */
  let element: Uint8Array[] | null = null
  let elementBytes = 0
  let unreadable = false
  let depth = 0
  let inString = false
  let escaped = false
  let rootIsObject = false
  let memberIsList = false

  const addToFrame = (bytes: Uint8Array) => {
    if (bytes.length === 0) return
    frameBytes += bytes.length
    if (frameBytes > limits.frameBytesMax) throw new PieceError('too_large')
    frame.push(bytes.slice())
  }
  const addToElement = (bytes: Uint8Array) => {
    elementBytes += bytes.length
    if (elementBytes > limits.elementBytesMax) unreadable = true
    if (unreadable) element = []
    else element?.push(bytes)
  }
  const closeElement = () => {
    elements.push(unreadable ? null : parse(Buffer.concat(element ?? []).toString()))
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
    if (depth === 1) rootIsObject = byte === OPEN_OBJECT
    if (depth === 2) memberIsList = byte === OPEN_LIST
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
            if (element === null && depth === 2 && byte === OPEN_OBJECT && memberIsList && rootIsObject) {
              addToFrame(chunk.subarray(start, index))
              start = index
              element = []
            }
            open(byte)
            break
          case CLOSES:
            depth -= 1
            if (element === null || depth !== 2) break
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
            if (frame.at(-1) !== ONE_SPACE) frame.push(ONE_SPACE)
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
      const root = parse(new TextDecoder().decode(Buffer.concat(frame)))
      if (rootIsObject) for (const member of Object.values(root as object)) if (Array.isArray(member)) putBack(member, elements)
      return root
    },
  }
}

function putBack(list: unknown[], elements: readonly unknown[]): void {
  for (const [index, placeholder] of list.entries()) {
    if (typeof placeholder === 'object' && placeholder !== null && '' in placeholder) list[index] = elements[Number(placeholder[''])]
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new PieceError('invalid')
  }
}
