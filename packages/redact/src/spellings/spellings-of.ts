import { textOfReading } from './reading.ts'
import { unescaped } from './unescape.ts'

/** A longer value is looked for in pieces. */
const PIECE_LENGTH = 1024
const LINE_LENGTH_MIN = 12

/**
 * The texts by which a value is found in a reading: as it is, with blanks as forms write them, without quotes as a shell reads
 * it, and with letters beyond ASCII in other cases and encodings. The readings undo everything else that an encoder does. Byte
 * text in and out.
 */
export function spellingsOf(value: string): readonly string[] {
  const spellings = new Set<string>()
  for (const part of partsOf(value)) {
    spellings.add(part)
    if (part.includes(' ')) spellings.add(part.replaceAll(' ', '+'))
    for (const reading of readingsOf(part)) spellings.add(reading)
    if (/['"\\`^]/.test(part)) spellings.add(part.replace(/['"\\`^]/g, ''))
    if (/[\x80-\xff]/.test(part))
      for (const spelling of spellingsBeyondAscii(part)) spellings.add(spelling)
  }
  return [...spellings]
}

const ROUNDS_MAX = 4
const READING_LENGTH_MIN = 6

/** A value that holds an escape itself, as it reads after its escapes were undone, round by round. */
function readingsOf(part: string): readonly string[] {
  const readings: string[] = []
  for (const kind of ['all', 'percent'] as const) {
    let now = part
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const reading = unescaped(now, kind)
      if (reading === null) break
      now = textOfReading(reading)
      if (now.length >= READING_LENGTH_MIN) readings.push(now)
    }
  }
  return readings
}

/** A long value in pieces, and each long line of one that has several. */
function partsOf(value: string): readonly string[] {
  const parts: string[] = []
  for (let from = 0; from < value.length; from += PIECE_LENGTH)
    parts.push(value.slice(from, Math.min(value.length, from + PIECE_LENGTH)))
  if (parts.length > 1 && (parts.at(-1)?.length ?? 0) < LINE_LENGTH_MIN)
    parts[parts.length - 1] = value.slice(-LINE_LENGTH_MIN)
  if (/[\r\n]/.test(value))
    parts.push(
      ...value
        .split(/[\r\n]+/)
        .map((line) => line.trim())
        .filter(({ length }) => length >= LINE_LENGTH_MIN),
    )
  return parts
}

function spellingsBeyondAscii(value: string): readonly string[] {
  const text = Buffer.from(value, 'latin1').toString('utf8')
  if (text.includes('\ufffd')) return []
  const forms = [
    text.toLowerCase(),
    text.toUpperCase(),
    text.normalize('NFC'),
    text.normalize('NFD'),
  ]
  const utf8 = forms.map((form) => Buffer.from(form, 'utf8').toString('latin1'))
  // Of ASCII the zeros of UTF-16 are left out before it is searched.
  const little = Buffer.from(text, 'utf16le')
  const wide = [little.toString('latin1'), Buffer.from(little).swap16().toString('latin1')]
  const isLatin1 = [...text].every((character) => (character.codePointAt(0) ?? 256) < 256)
  // Python and the `escape` of JavaScript write the first 256 letters as one byte.
  const mixed = [...text]
    .map((sign) =>
      (sign.codePointAt(0) ?? 0) < 256 ? sign : Buffer.from(sign, 'utf8').toString('latin1'),
    )
    .join('')
  return [...utf8, mixed, ...(isLatin1 ? [text] : []), ...wide]
}
