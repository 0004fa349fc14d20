import { fullyUndone } from './undo.ts'

/** One way an encoder writes a value. Byte text in and out. */
interface Form {
  /** A value without a match is the same in this form and in the plain one. */
  readonly changes: RegExp
  readonly write: (value: string, bytes: Buffer) => string
}

const hex2 = (byte: number) => byte.toString(16).padStart(2, '0')
const utf16 = (value: string) =>
  Buffer.from(Buffer.from(value, 'latin1').toString('utf8'), 'utf16le')
const units = (value: string) => {
  const wide = utf16(value)
  return Array.from({ length: wide.length / 2 }, (_, index) => wide.readUInt16LE(index * 2))
}
const inside = (bytes: Buffer, before: number): string => {
  const text = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  // The first and the last character also hold bits of the neighbours.
  return text.slice(
    before === 0 ? 0 : before + 1,
    text.length - ((bytes.length + before) % 3 === 0 ? 0 : 1),
  )
}
const urlSafe = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_')
const json = (value: string) =>
  JSON.stringify(Buffer.from(value, 'latin1').toString('utf8')).slice(1, -1)
const latin = (text: string) => Buffer.from(text, 'utf8').toString('latin1')
const escapeUnit = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`
const asciiJson = (value: string) =>
  json(value).replace(/[^\x20-\x7e]/g, (sign) => escapeUnit(sign.charCodeAt(0)))
const percent = (bytes: Buffer, safe: RegExp) =>
  [...bytes]
    .map((byte) =>
      safe.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${hex2(byte)}`,
    )
    .join('')
const html = (value: string, quote: string) =>
  value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", quote)

const ANY = /[\s\S]/
const JSON_SIGNS = /[^ !#-[\]-~]/
const ESCAPED_SIGNS = /[^ !#-%(-*,-.0-;?A-[\]-~]/
const RESERVED = /[^A-Za-z0-9_.~-]/
const MARKUP = /[&<>"']/
const SHELL = /[^A-Za-z0-9_\x80-\xff]/

function forms(changes: RegExp, ...writers: readonly Form['write'][]): readonly Form[] {
  return writers.map((write) => ({ changes, write }))
}

const mixed = (value: string) =>
  [...Buffer.from(value, 'latin1').toString('utf8')]
    .map((sign) => ((sign.codePointAt(0) ?? 0) < 256 ? sign : latin(sign)))
    .join('')

/** Every form. Comparison ignores case. */
export const FORMS: readonly Form[] = [
  ...forms(ANY, (value) => value),
  // Values that contain escapes, with these undone; then values in which some letters stayed single bytes.
  ...forms(/[\\%&]/, fullyUndone, (value) => fullyUndone(value).replaceAll(' ', '+')),
  ...forms(/[\x80-\xff]/, mixed),
  ...forms(
    JSON_SIGNS,
    (value) => latin(json(value)),
    asciiJson,
    (value) => latin(JSON.stringify(json(value)).slice(1, -1)),
  ),
  ...forms(
    ESCAPED_SIGNS,
    (value) => asciiJson(value).replace(/[<>&'@+=/]/g, (sign) => escapeUnit(sign.charCodeAt(0))),
    (value) => asciiJson(value).replace(/[<>&]/g, (sign) => escapeUnit(sign.charCodeAt(0))),
    (value) => latin(json(value)).replace(/[<>&]/g, (sign) => escapeUnit(sign.charCodeAt(0))),
    (value) => asciiJson(value).replaceAll('/', '\\/'),
    (value) => latin(json(value)).replaceAll('/', '\\/'),
  ),
  ...forms(
    ANY,
    (value) => units(value).map(escapeUnit).join(''),
    (_, bytes) => percent(bytes, /(?!)/),
  ),
  ...forms(
    RESERVED,
    (_, bytes) => percent(bytes, /[A-Za-z0-9_.!~*'()-]/),
    (_, bytes) => percent(bytes, /[A-Za-z0-9_.~-]/),
    (_, bytes) => percent(bytes, /[A-Za-z0-9_.~/-]/),
    (_, bytes) => percent(bytes, /[A-Za-z0-9_.~$&+:=@-]/),
    (_, bytes) => percent(bytes, /[A-Za-z0-9_.*-]/).replaceAll('%20', '+'),
    (_, bytes) => percent(bytes, /[A-Za-z0-9_.~-]/).replaceAll('%20', '+'),
    (_, bytes) => percent(bytes, /[A-Za-z0-9_.!~*'()-]/).replaceAll('%', '%25'),
    (_, bytes) =>
      percent(bytes, /[A-Za-z0-9_.*-]/)
        .replaceAll('%20', '+')
        .replaceAll('%', '%25'),
  ),
  ...forms(
    MARKUP,
    (value) => html(value, '&#39;'),
    (value) => html(value, '&#x27;'),
    (value) => html(value, '&apos;'),
    (value) => html(value, "'"),
    (value) => html(value, '&#39;').replaceAll('&quot;', '&#34;'),
  ),
  ...forms(
    ANY,
    (value) =>
      [...Buffer.from(value, 'latin1').toString('utf8')]
        .map((sign) => `&#${sign.codePointAt(0)};`)
        .join(''),
    (value) =>
      [...Buffer.from(value, 'latin1').toString('utf8')]
        .map((sign) => `&#x${sign.codePointAt(0)?.toString(16)};`)
        .join(''),
    (_, bytes) => bytes.toString('hex'),
    (_, bytes) => bytes.toString('hex').replace(/..(?=.)/g, '$& '),
    (_, bytes) => bytes.toString('hex').replace(/..(?=.)/g, '$&:'),
    (_, bytes) => bytes.toString('hex').replace(/../g, '\\x$&'),
    (_, bytes) => bytes.toString('hex').replace(/../g, ', 0x$&').slice(2),
    (_, bytes) => new Int8Array(bytes).join(', '),
    (_, bytes) => bytes.join(','),
    (_, bytes) => bytes.join(', '),
    (_, bytes) => bytes.join(' '),
    (value) => utf16(value).toString('latin1'),
    (value) => utf16(value).swap16().toString('latin1'),
  ),
  ...[0, 1, 2].flatMap((before) =>
    forms(
      ANY,
      (_, bytes) => inside(bytes, before),
      (_, bytes) => urlSafe(inside(bytes, before)),
      (_, bytes) => inside(Buffer.from(bytes.toString('base64')), before),
      (value) => inside(utf16(value), before),
    ),
  ),
  ...forms(/[^\x20-\x7e]|=/, (_, bytes) =>
    [...bytes]
      .map((byte) =>
        byte > 126 || byte < 32 || byte === 61 ? `=${hex2(byte)}` : String.fromCharCode(byte),
      )
      .join(''),
  ),
  ...forms(
    SHELL,
    (value) => value.replaceAll("'", "'\\''"),
    (value) => value.replaceAll("'", `'"'"'`),
    (value) => value.replace(/[\\"$`]/g, '\\$&'),
    (value) => value.replace(/[^A-Za-z0-9_\x80-\xff./:=@%+,-]/g, '\\$&'),
  ),
]
