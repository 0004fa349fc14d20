const ROUNDS_MAX = 4

/** The text after escapes were undone once, twice, until nothing changes; then read as quoted-printable, as a dump, and without what colours it. Byte text. */
export function readings(text: string): readonly string[] {
  const found: string[] = []
  for (let now = text; found.length < ROUNDS_MAX; ) {
    const next = undone(now)
    if (next === now) break
    found.push(next)
    now = next
  }
  for (const other of [asQuotedPrintable(text), asDump(text), withoutColours(text)])
    if (other !== null) found.push(other)
  return found
}

/** The text after everything was undone. */
export function fullyUndone(text: string): string {
  let now = text
  for (let round = 0; round < ROUNDS_MAX; round += 1) now = undone(now)
  return now
}

const SIGNS: Readonly<Record<string, string>> = {
  ...{
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    commat: '@',
    period: '.',
    sol: '/',
    plus: '+',
    equals: '=',
    nbsp: ' ',
    colon: ':',
  },
}

function undone(text: string): string {
  if (!/[\\%&]/.test(text)) return text
  return text
    .replace(/%u([0-9a-fA-F]{4})/g, (_, digits: string) => utf8(Number.parseInt(digits, 16)))
    .replace(/(?:%[0-9a-fA-F]{2})+/g, (run) =>
      Buffer.from(run.replaceAll('%', ''), 'hex').toString('latin1'),
    )
    .replace(
      /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,6}));?/g,
      (whole, decimal?: string, hex?: string, name?: string) => {
        if (name !== undefined) return SIGNS[name] ?? whole
        return utf8(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal))
      },
    )
    .replace(
      /\\(?:u\{?([0-9a-fA-F]{4})\}?|x([0-9a-fA-F]{2})|([0-3][0-7]{2})|([^A-Za-z0-9]))/g,
      (_, unit?: string, byte?: string, octal?: string, sign?: string) => {
        if (sign !== undefined) return sign
        return unit === undefined
          ? String.fromCharCode(
              byte === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(byte, 16),
            )
          : utf8(Number.parseInt(unit, 16))
      },
    )
}

function utf8(code: number): string {
  return Buffer.from(String.fromCodePoint(Math.min(code, 0x10ffff)), 'utf8').toString('latin1')
}

function asQuotedPrintable(text: string): string | null {
  const next = text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-Fa-f]{2})/g, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    )
  return next === text ? null : next
}

function withoutColours(text: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one.
  const next = text.replace(/\u001b\[[\d;:?]*[A-Za-z]|\u001b[()]./g, '')
  return next === text ? null : next
}

function asDump(text: string): string | null {
  const lines = text.match(/^[ \t]*[0-9a-fA-F]{4,8}:?[ \t]+(?:[0-9a-fA-F]{2,4}[ \t]+){1,17}/gm)
  if (lines === null) return null
  return lines
    .map((line) =>
      Buffer.from(line.replace(/^[ \t]*[0-9a-fA-F]+:?/, '').replace(/[ \t]/g, ''), 'hex').toString(
        'latin1',
      ),
    )
    .join('')
}
