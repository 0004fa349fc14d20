import { kindOfField, type Redactor } from './redactor.ts'
import { createTextStream, type TextStream } from './text-stream.ts'

/** A longer string is redacted as text, without being decoded. */
const STRING_LENGTH_MAX = 8 * 1024 * 1024
const DEPTH_MAX = 10_000
const NAME_LENGTH_MAX = 256

interface Level {
  readonly isObject: boolean
  /** Name of the member under way. */
  name: string
  expectsName: boolean
}

/**
 * Redacts JSON, and JSON documents one after the other, string by string: what a member is called decides, and what is not replaced stays byte for
 * byte. A document that breaks off is redacted as far as it goes.
 */
export function createJsonStream(redactor: Redactor): TextStream {
  const levels: Level[] = []
  /** The string under way, opening quote included; null outside of one. */
  let string: string[] | null = null
  let stringLength = 0
  let escaped = false
  /** What stands between strings; little, unless it is no JSON. */
  const between = createTextStream(redactor)
  /** A string too long to be decoded. */
  let long: TextStream | null = null

  /** The innermost member whose name decides hides everything in it; elements of a list go by the list's name. */
  const nameOf = (): string => (levels.findLast(({ name }) => kindOfField(name) !== null) ?? levels.at(-1))?.name ?? ''

  const closeString = (raw: string): string => {
    let value: string
    try {
      value = JSON.parse(raw) as string
    } catch {
      return redactor.text(raw)
    }
    const level = levels.at(-1)
    if (level?.isObject === true && level.expectsName) {
      level.name = value.slice(0, NAME_LENGTH_MAX)
      level.expectsName = false
      const shown = redactor.text(value)
      return shown === value ? raw : JSON.stringify(shown)
    }
    const shown = redactor.field(nameOf(), value)
    return shown === value ? raw : JSON.stringify(shown)
  }

  const openLevel = (isObject: boolean) => {
    if (levels.length < DEPTH_MAX) levels.push({ isObject, name: isObject ? '' : nameOf(), expectsName: isObject })
  }

  return {
    push(piece) {
      let out = ''
      let from = 0
      for (let index = 0; index < piece.length; index += 1) {
        const code = piece.charCodeAt(index)
        if (string !== null) {
          if (escaped) escaped = false
          else if (code === 0x5c) escaped = true
          else if (code === 0x22) {
            const part = piece.slice(from, index)
            if (long !== null) out += `${long.push(part)}${long.end()}"`
            else out += closeString(`${string.join('')}${part}"`)
            string = null
            long = null
            from = index + 1
          }
          continue
        }
        if (code === 0x22) {
          out += between.push(piece.slice(from, index)) + between.end()
          string = ['"']
          stringLength = 0
          from = index + 1
        } else if (code === 0x7b || code === 0x5b) openLevel(code === 0x7b)
        else if (code === 0x7d || code === 0x5d) levels.pop()
        else if (code === 0x2c) {
          const level = levels.at(-1)
          if (level?.isObject === true) level.expectsName = true
        } else if (code === 0x0a && levels.length > 0 && isNextDocument(piece, index)) levels.length = 0
      }
      const left = piece.slice(from)
      if (string === null) return out + between.push(left)
      string.push(left)
      stringLength += left.length
      if (long === null && stringLength > STRING_LENGTH_MAX) {
        long = createTextStream(redactor)
        out += `"${long.push(string.join('').slice(1))}`
        string = []
      } else if (long !== null) {
        out += long.push(left)
        string = []
      }
      return out
    },
    end() {
      if (string === null) return between.end()
      if (long !== null) return long.end()
      // It breaks off inside of a string.
      return redactor.text(string.join(''))
    },
  }
}

/** After a line that broke off the next one that begins a document is read from its beginning. */
function isNextDocument(piece: string, index: number): boolean {
  return piece.startsWith('{"', index + 1)
}
