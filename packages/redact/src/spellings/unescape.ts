import type { Reading } from './reading.ts'

/** Kinds of escapes that are read. All at once is right for most texts; a single kind for a value that itself contains signs of another. */
export type EscapeKind =
  | 'all'
  | 'backslash'
  | 'percent'
  | 'entity'
  | 'quoted-printable'
  | 'quotes'
  | 'breaks'

const TRIGGERS: Readonly<Record<EscapeKind, RegExp>> = {
  all: /\\|%[0-9A-Fa-fu]|&[#a-zA-Z]/,
  backslash: /\\/,
  percent: /%[0-9A-Fa-fu]/,
  entity: /&[#a-zA-Z]/,
  // An equals sign with a number after it is more often a setting, so a single one does not count.
  'quoted-printable': /=(?:3D|[89A-F][0-9A-F]|20(?![\s\d])|\r?\n)|(?:=[0-9A-F]{2}){3}/i,
  quotes: /['"\\`^]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal begin with one.
  breaks: /["'`](?:[ \t\r\n]|[+.&|])|\u001b\[/,
}

/** Characters that may begin an escape of each kind. */
const SIGNS: Readonly<Record<EscapeKind, RegExp>> = {
  all: /[\\%&]/g,
  backslash: /\\/g,
  percent: /%/g,
  entity: /&/g,
  'quoted-printable': /[=]/g,
  quotes: /['"\\`^]/g,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal begin with one.
  breaks: /["'`\u001b]/g,
}
/** Gap between two texts that a program joins (`"a" + "b"`), or colours that a tool put around a part of one. */
const BREAK =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
  /(["'`])[ \t\r\n]{0,64}(?:[+.&]|\|\||\\)?[ \t\r\n]{0,64}\\?\1|\u001b\[[0-9;]{0,16}[A-Za-z]/y

/** The text with its escapes read once; null without escapes of this kind. */
export function unescaped(text: string, kind: EscapeKind): Reading | null {
  if (!TRIGGERS[kind].test(text)) return null
  const source = Buffer.from(text, 'latin1')
  const out = Buffer.allocUnsafe(text.length + 4)
  // Between two escapes an offset of the reading follows from one of the text, so notes are made only at escapes.
  const read: number[] = [0]
  const written: number[] = [0]
  /** End of the escape of each note; 0 for a note that no escape begins. */
  const ends: number[] = [0]
  let length = 0
  let from = 0
  const signs = SIGNS[kind]
  signs.lastIndex = 0
  for (let match = signs.exec(text); match !== null; match = signs.exec(text)) {
    const at = match.index
    const found = escapeAt(text, at, kind)
    if (found === null) continue
    length += source.copy(out, length, from, at)
    if (found.codePoint !== null) {
      for (const byte of utf8Of(found.codePoint)) {
        read.push(at)
        written.push(length)
        ends.push(at + found.length)
        out[length] = byte
        length += 1
      }
    }
    from = at + found.length
    signs.lastIndex = from
    read.push(from)
    written.push(length)
    ends.push(0)
  }
  length += source.copy(out, length, from)
  const placeOf = (index: number): number => {
    const note = lastNoteAt(written, index)
    return (read[note] ?? 0) + index - (written[note] ?? 0)
  }
  return {
    bytes: out,
    length,
    placeOf,
    endOf: (index) => ends[lastNoteAt(written, index)] || placeOf(index) + 1,
  }
}

/** The last note at or before the byte. */
function lastNoteAt(written: readonly number[], index: number): number {
  let low = 0
  let high = written.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((written[middle] ?? 0) <= index) low = middle
    else high = middle - 1
  }
  return low
}

interface Escape {
  readonly length: number
  /** Null for an escape that stands for nothing, such as a line continuation. With `RAW_BYTE` set it is a byte. */
  readonly codePoint: number | null
}

function escapeAt(text: string, at: number, kind: EscapeKind): Escape | null {
  if (kind === 'quotes') return { length: 1, codePoint: null }
  if (kind === 'breaks') return breakAt(text, at)
  const code = text.charCodeAt(at)
  if (code === 0x5c) return backslashAt(text, at)
  if (code === 0x25) return percentAt(text, at)
  return code === 0x26 ? entityAt(text, at) : quotedPrintableAt(text, at)
}

function breakAt(text: string, at: number): Escape | null {
  BREAK.lastIndex = at
  const found = BREAK.exec(text)
  return found === null ? null : { length: found[0].length, codePoint: null }
}

/** Marks a byte that must not be written as UTF-8. */
const RAW_BYTE = 0x200000
const CONTROL: Readonly<Record<string, number>> = {
  n: 10,
  r: 13,
  t: 9,
  b: 8,
  f: 12,
  v: 11,
  a: 7,
  e: 27,
  '0': 0,
}

function backslashAt(text: string, at: number): Escape | null {
  const sign = text[at + 1]
  if (sign === undefined) return null
  if (sign === 'u' || sign === 'U') {
    const braced = /^\{([0-9a-fA-F]{1,6})\}/.exec(text.slice(at + 2, at + 10))
    if (braced !== null)
      return { length: 2 + braced[0].length, codePoint: Number.parseInt(braced[1] ?? '', 16) }
    const digits = sign === 'U' ? 8 : 4
    const first = hexAt(text, at + 2, digits)
    if (first === null) return { length: 2, codePoint: sign.charCodeAt(0) }
    if (first >= 0xd800 && first < 0xdc00 && text[at + 6] === '\\' && text[at + 7] === 'u') {
      const second = hexAt(text, at + 8, 4)
      if (second !== null && second >= 0xdc00 && second < 0xe000) {
        return { length: 12, codePoint: 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00) }
      }
    }
    return { length: 2 + digits, codePoint: first }
  }
  if (sign === 'x') {
    const byte = hexAt(text, at + 2, 2)
    if (byte !== null) return { length: 4, codePoint: byte | RAW_BYTE }
  }
  const octal = /^[0-3]?[0-7]{2}/.exec(text.slice(at + 1, at + 4))
  if (octal !== null)
    return { length: 1 + octal[0].length, codePoint: Number.parseInt(octal[0], 8) | RAW_BYTE }
  // A line continuation, as shells and YAML write it.
  const next = /^\\\r?\n[ \t]{0,64}/.exec(text.slice(at, at + 67))
  if (next !== null) return { length: next[0].length, codePoint: null }
  return { length: 2, codePoint: (CONTROL[sign] ?? sign.charCodeAt(0)) | RAW_BYTE }
}

function percentAt(text: string, at: number): Escape | null {
  if (text[at + 1] === 'u' || text[at + 1] === 'U') {
    const point = hexAt(text, at + 2, 4)
    return point === null ? null : { length: 6, codePoint: point }
  }
  const byte = hexAt(text, at + 1, 2)
  return byte === null ? null : { length: 3, codePoint: byte | RAW_BYTE }
}

function quotedPrintableAt(text: string, at: number): Escape | null {
  const line = /^\r?\n/.exec(text.slice(at + 1, at + 3))
  if (line !== null) return { length: 1 + line[0].length, codePoint: null }
  const byte = hexAt(text, at + 1, 2)
  return byte === null ? null : { length: 3, codePoint: byte | RAW_BYTE }
}

const ENTITY = /&(?:#(\d{1,8})|#[xX]([0-9a-fA-F]{1,7})|([A-Za-z][A-Za-z0-9]{1,9}));?/y
/** Characters of named HTML entities. */
const NAMED: Readonly<Record<string, string>> = {
  ...{
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    commat: '@',
    period: '.',
    colon: ':',
    semi: ';',
    comma: ',',
  },
  ...{
    sol: '/',
    bsol: '\\',
    plus: '+',
    equals: '=',
    num: '#',
    excl: '!',
    quest: '?',
    dollar: '$',
    percnt: '%',
    lpar: '(',
    rpar: ')',
  },
  ...{
    ast: '*',
    lsqb: '[',
    rsqb: ']',
    lcub: '{',
    rcub: '}',
    lbrack: '[',
    rbrack: ']',
    lbrace: '{',
    rbrace: '}',
    vert: '|',
    lowbar: '_',
  },
  ...{
    hat: '^',
    grave: '`',
    hyphen: '-',
    dash: '-',
    tilde: '~',
    Tab: '\t',
    NewLine: '\n',
    sp: ' ',
    verbar: '|',
    midast: '*',
  },
}

/** Letters from U+00A0 on, in their order. */
const LATIN = (
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot ' +
  'cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml ' +
  'Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig ' +
  'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ' +
  'ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
).split(' ')

function entityAt(text: string, at: number): Escape | null {
  ENTITY.lastIndex = at
  const match = ENTITY.exec(text)
  if (match === null) return null
  const [whole, decimal, hex, name] = match
  if (name !== undefined) {
    const sign = NAMED[name]?.charCodeAt(0) ?? 0xa0 + (LATIN.indexOf(name) + 1 || Number.NaN) - 1
    const codePoint = Number.isNaN(sign) ? NAMED[name.toLowerCase()]?.charCodeAt(0) : sign
    return codePoint === undefined || !whole.endsWith(';')
      ? null
      : { length: whole.length, codePoint }
  }
  const point =
    decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(decimal, 10)
  return point > 0x10ffff ? null : { length: whole.length, codePoint: point }
}

function hexAt(text: string, at: number, digits: number): number | null {
  const hex = text.slice(at, at + digits)
  return hex.length === digits && /^[0-9a-fA-F]+$/.test(hex) ? Number.parseInt(hex, 16) : null
}

function utf8Of(codePoint: number): readonly number[] {
  if (codePoint >= RAW_BYTE) return [codePoint & 255]
  if (codePoint < 0x80) return [codePoint]
  if (codePoint < 0x800) return [0xc0 | (codePoint >> 6), 0x80 | (codePoint & 63)]
  if (codePoint < 0x10000)
    return [0xe0 | (codePoint >> 12), 0x80 | ((codePoint >> 6) & 63), 0x80 | (codePoint & 63)]
  return [
    0xf0 | (codePoint >> 18),
    0x80 | ((codePoint >> 12) & 63),
    0x80 | ((codePoint >> 6) & 63),
    0x80 | (codePoint & 63),
  ]
}
