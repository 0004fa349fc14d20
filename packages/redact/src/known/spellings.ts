const hex2 = (byte: number) => byte.toString(16).padStart(2, '0')
const json = (text: string) => JSON.stringify(text).slice(1, -1)
const escapeUnit = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
const asciiJson = (text: string) => json(text).replace(/[^\x20-\x7e]/g, escapeUnit)
const percent = (text: string, safe: RegExp) =>
  [...Buffer.from(text)]
    .map((byte) =>
      safe.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${hex2(byte)}`,
    )
    .join('')
const html = (text: string, apostrophe: string, quote = '&quot;') =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', quote)
    .replaceAll("'", apostrophe)
/** Base64 of bytes that begin at any place of a group; the first and the last letter also hold bits of the neighbours. */
const insideBase64 = (bytes: Buffer, before: number): string => {
  const text = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  return text.slice(
    before === 0 ? 0 : before + 1,
    text.length - ((bytes.length + before) % 3 === 0 ? 0 : 1),
  )
}

/** Ways in which programs write a text that has signs; letters and digits alone are the same in most of them. */
const WRITERS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.normalize('NFC'),
  (text) => text.normalize('NFD'),
  json,
  asciiJson,
  (text) => asciiJson(text).replace(/[<>&]/g, escapeUnit),
  (text) => asciiJson(text).replaceAll('/', '\\/'),
  (text) => percent(text, /[A-Za-z0-9_.!~*'()-]/),
  (text) => percent(text, /[A-Za-z0-9_.~/-]/),
  (text) => percent(text, /[A-Za-z0-9_.*-]/).replaceAll('%20', '+'),
  (text) => percent(text, /[ -<>-~]/).replaceAll('%', '='),
  (text) => percent(text, /[!-<>-~]/).replaceAll('%', '='),
  (text) => text.replaceAll(' ', '+'),
  (text) => html(text, '&#39;'),
  (text) => html(text, '&#x27;'),
  (text) => html(text, '&apos;'),
  (text) => html(text, '&#39;', '&#34;'),
  (text) => text.replaceAll("'", "'\\''"),
  (text) => text.replace(/["']/g, '$&$&'),
  (text) => text.replace(/[^A-Za-z0-9_./:=@%+,\-\u0080-\uffff]/g, '\\$&'),
]

/** Ways in which nothing of a text can be read. */
const ENCODERS: readonly ((text: string) => string)[] = [
  ...[0, 1, 2].flatMap((before) => [
    (text: string) => insideBase64(Buffer.from(text), before),
    (text: string) =>
      insideBase64(Buffer.from(text), before).replaceAll('+', '-').replaceAll('/', '_'),
  ]),
  (text) => Buffer.from(text).toString('hex'),
  ...[',', ', ', ' '].map((between) => (text: string) => [...Buffer.from(text)].join(between)),
]
const SPELLING_LENGTH_MIN = 4
const ENCODED_LENGTH_MIN = 6

/** The texts by which a value is found, whatever wrote it, in small and capital letters alike. */
export function spellingsOf(value: string): readonly string[] {
  const found = new Set<string>()
  const add = (text: string, lengthMin: number) => {
    if (text.length >= lengthMin) found.add(text)
  }
  for (const write of WRITERS) add(write(value), SPELLING_LENGTH_MIN)
  for (const encode of ENCODERS) add(encode(value), ENCODED_LENGTH_MIN)
  return [...found]
}
