type Encoder = (value: string) => string

const hex2 = (byte: number) => byte.toString(16).padStart(2, '0')
const hex4 = (unit: number) => unit.toString(16).padStart(4, '0')
const json = (value: string) => JSON.stringify(value).slice(1, -1)
const units = (value: string) =>
  Array.from({ length: value.length }, (_, index) => value.charCodeAt(index))
const percentAll = (value: string) =>
  [...Buffer.from(value)].map((byte) => `%${hex2(byte)}`).join('')
const quote = (value: string) =>
  value
    .replace(/%20/g, '+')
    .replace(/[!'()~]/g, (sign) => `%${hex2(sign.charCodeAt(0)).toUpperCase()}`)
const html = (value: string, apostrophe: string) =>
  value
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, apostrophe)
const base64 = (value: string) => Buffer.from(value).toString('base64')

/** What common encoders make of a value. Vectors that other languages made are in `encoder-vectors.json`. */
export const encoders: Readonly<Record<string, Encoder>> = {
  plain: (value) => value,
  JSON: json,
  'JSON in JSON': (value) => json(json(value)),
  'JSON, ASCII alone': (value) =>
    json(value).replace(/[^\x20-\x7e]/g, (sign) => `\\u${hex4(sign.charCodeAt(0))}`),
  'JSON of Go': (value) =>
    json(value).replace(/[<>&]/g, (sign) => `\\u${hex4(sign.charCodeAt(0))}`),
  'JSON of PHP': (value) =>
    json(value)
      .replace(/\//g, '\\/')
      .replace(/[^\x20-\x7e]/g, (sign) => `\\u${hex4(sign.charCodeAt(0))}`),
  'escapes all through': (value) =>
    units(value)
      .map((unit) => `\\u${hex4(unit)}`)
      .join(''),
  'escapes all through, in capitals': (value) =>
    units(value)
      .map((unit) => `\\u${hex4(unit).toUpperCase()}`)
      .join(''),
  'every second sign escaped': (value) =>
    units(value)
      .map((unit, index) =>
        index % 2 === 0 ? `\\u${hex4(unit)}` : json(String.fromCharCode(unit)),
      )
      .join(''),
  encodeURIComponent,
  'encodeURIComponent in small letters': (value) =>
    encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
  'a form': (value) => new URLSearchParams({ a: value }).toString().slice(2),
  'quote of Python': (value) =>
    quote(encodeURIComponent(value)).replaceAll('+', '%20').replaceAll('%2F', '/'),
  'quote_plus of Python': (value) => quote(encodeURIComponent(value)),
  'URLEncoder of Java': (value) =>
    encodeURIComponent(value)
      .replace(/%20/g, '+')
      .replace(/[!'()~]/g, (sign) => `%${hex2(sign.charCodeAt(0)).toUpperCase()}`),
  'percent all through': percentAll,
  'percent twice': (value) => encodeURIComponent(encodeURIComponent(value)),
  HTML: (value) => html(value, '&#39;'),
  'HTML of Python': (value) => html(value, '&#x27;'),
  XML: (value) => html(value, '&apos;'),
  'decimal entities': (value) => [...value].map((sign) => `&#${sign.codePointAt(0)};`).join(''),
  'hexadecimal entities': (value) =>
    [...value].map((sign) => `&#x${sign.codePointAt(0)?.toString(16)};`).join(''),
  Base64: base64,
  'Base64 without padding': (value) => base64(value).replace(/=+$/, ''),
  'Base64, one byte in': (value) => base64(`:${value}`),
  'Base64, two bytes in': (value) => base64(`u:${value}\n`),
  'Base64 for URLs': (value) => Buffer.from(value).toString('base64url'),
  'Base64 twice': (value) => base64(base64(value)),
  'Base64 of JSON': (value) => base64(JSON.stringify({ user: 'ana', key: value })),
  'Base64 in a URL': (value) => encodeURIComponent(base64(value)),
  'Base64 in lines': (value) => base64(`${'x'.repeat(50)}${value}`).replace(/.{76}/g, '$&\n'),
  'Base64 of UTF-16': (value) => Buffer.from(value, 'utf16le').toString('base64'),
  hexadecimal: (value) => Buffer.from(value).toString('hex'),
  'hexadecimal in capitals': (value) => Buffer.from(value).toString('hex').toUpperCase(),
  'escaped bytes': (value) => [...Buffer.from(value)].map((byte) => `\\x${hex2(byte)}`).join(''),
  'a list of bytes': (value) => JSON.stringify([...Buffer.from(value)]),
  'quoted-printable': (value) =>
    [...Buffer.from(value)]
      .map((byte) =>
        byte > 126 || byte === 61 ? `=${hex2(byte).toUpperCase()}` : String.fromCharCode(byte),
      )
      .join(''),
  'single quotes of a shell': (value) => `'${value.replace(/'/g, "'\\''")}'`,
  'mixed quotes of a shell': (value) => `'${value.replace(/'/g, `'"'"'`)}'`,
  'double quotes of a shell': (value) => `"${value.replace(/[\\"$`]/g, '\\$&')}"`,
  'backslashes of a shell': (value) =>
    value.replace(/[^A-Za-z0-9_./:=@%+,\-\u0080-\uffff]/g, '\\$&'),
  'C quotes of a shell': (value) => `$'${value.replace(/[\\']/g, '\\$&')}'`,
  capitals: (value) => value.toUpperCase(),
  'small letters': (value) => value.toLowerCase(),
}
