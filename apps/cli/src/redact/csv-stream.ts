import type { Redactor } from './redactor.ts'
import type { TextStream } from './text-stream.ts'

const DELIMITERS = [',', ';', '\t'] as const

/** Redacts CSV by RFC 4180, field by field; the first row names the columns. What is not replaced stays byte for byte. */
export function createCsvStream(redactor: Redactor): TextStream {
  let names: readonly string[] | null = null
  let row: string[] = []
  let field = ''
  let isQuoted = false
  let delimiter: string | null = null

  const value = (raw: string): string => (/^"[\s\S]*"$/.test(raw) ? raw.slice(1, -1).replaceAll('""', '"') : raw)
  const closeField = (raw: string): string => {
    const column = row.length
    const plain = value(raw)
    row.push(plain)
    const shown = names === null ? redactor.text(plain) : redactor.field(names[column] ?? '', plain)
    if (shown === plain) return raw
    return /[",;\t\r\n]/.test(shown) || raw.startsWith('"') ? `"${shown.replaceAll('"', '""')}"` : shown
  }

  return {
    push(piece) {
      let out = ''
      let from = 0
      const take = (index: number): string => {
        const raw = field + piece.slice(from, index)
        field = ''
        from = index
        return raw
      }
      for (let index = 0; index < piece.length; index += 1) {
        const character = piece[index] ?? ''
        // A quote inside of a quoted field is doubled, so that counting them is enough.
        if (character === '"') isQuoted = !isQuoted
        if (isQuoted || (character !== '\n' && !(DELIMITERS as readonly string[]).includes(character))) continue
        if (character !== '\n') {
          delimiter ??= character
          if (character !== delimiter) continue
        }
        const raw = take(index)
        const ending = character === '\n' && raw.endsWith('\r') ? '\r' : ''
        out += closeField(raw.slice(0, raw.length - ending.length)) + ending + character
        from = index + 1
        if (character === '\n') {
          names ??= row
          row = []
        }
      }
      field += piece.slice(from)
      return out
    },
    end() {
      const left = field === '' && row.length === 0 ? '' : closeField(field)
      field = ''
      return left
    },
  }
}
