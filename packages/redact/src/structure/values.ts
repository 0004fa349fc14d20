/** A value in running text, without its quotes. */
export interface Value {
  readonly start: number
  readonly end: number
  readonly isQuoted: boolean
  /** Offset behind the closing quote; the end of a value that has none. */
  readonly next: number
}

/** Source of an expression for one quote, in any spelling. */
export const QUOTE = String.raw`(?:\\{0,16}["'${'`'}]|&(?:quot|apos|#0?34|#0?39|#x22|#x27);|%(?:25)*2[27]|\\{1,8}u002[27])`
const OPENING = new RegExp(String.raw`\\{0,16}["'${'`'}]{1,3}|${QUOTE}`, 'y')
/** Limits of the search for a closing quote beyond its line. */
const CLOSE_DISTANCE_MAX = 64 * 1024
const CLOSE_LINES_MAX = 200

/** The quote that opens at this place, in any spelling; null without one. */
export function quoteAt(text: string, at: number): string | null {
  OPENING.lastIndex = at
  return OPENING.exec(text)?.[0] ?? null
}

/** The value at this place: in quotes, or up to a sign that ends a bare one. */
export function valueAt(text: string, at: number, bareEnd: RegExp, lengthMax: number): Value {
  const quote = quoteAt(text, at)
  if (quote !== null) return quotedValue(text, at, quote)
  const bare = text.slice(at, at + lengthMax)
  const end = at + (bareEnd.exec(bare)?.index ?? bare.length)
  return { start: at, end, isQuoted: false, next: end }
}

/** The value that begins with this quote at `at`. A quote that is never closed takes the rest of the line. */
export function quotedValue(text: string, at: number, quote: string): Value {
  const start = at + quote.length
  const close = closeOf(text, start, quote)
  // Two quotes are an empty value, or in CSV one doubled quote.
  if (/^\\*(?:""|'')$/.test(quote) && (close === null || /[\n\r]/.test(text.slice(start, close))))
    return { start: start - 1, end: start - 1, isQuoted: true, next: start }
  const end = close === null ? lineEnd(text, start) : wordEnd(text, close, quote)
  return { start, end, isQuoted: true, next: close === null ? end : end + quote.length }
}

/** What may stand behind a closing quote. */
const BEHIND = /[ \t\r\n,;:)\]}]/

function closeOf(text: string, start: number, quote: string): number | null {
  const escapes = /^\\*/.exec(quote)?.[0].length ?? 0
  const isPlain = /^\\*["'`]$/.test(quote)
  const sign = isPlain ? quote.slice(-1) : quote
  const limit = Math.min(text.length, start + CLOSE_DISTANCE_MAX)
  for (
    let at = text.indexOf(sign, start);
    at >= 0 && at < limit;
    at = text.indexOf(sign, at + sign.length)
  ) {
    const before = isPlain ? backslashesBefore(text, at, start) : 0
    if (before > escapes && !isBehindBackslashes(text, at, before, escapes)) continue
    const isDoubled =
      isPlain &&
      escapes === 0 &&
      sign !== '`' &&
      text[at + 1] === sign &&
      !BEHIND.test(text[at + 2] ?? '\n')
    if (!isDoubled)
      return continuesOnLines(text, start, at)
        ? at - (isPlain && before >= escapes ? escapes : 0)
        : null
    at += 1
  }
  return null
}

/**
 * True if the backslashes before a quote belong to the value, which then ends here: `"a\\"`, and in escaped quotes `\"a\\\\\"`. Every level of
 * escapes doubles each of them.
 */
function isBehindBackslashes(text: string, at: number, before: number, escapes: number): boolean {
  return (
    (before - escapes) % (2 * (escapes + 1)) === 0 &&
    /[ \t\r\n,;:)\]}/>|&]/.test(text[at + 1] ?? '\n')
  )
}

/** True if a value plausibly spans lines: a stray quote would swallow the next records. */
function continuesOnLines(text: string, start: number, end: number): boolean {
  const value = text.slice(start, end)
  if (!value.includes('\n')) return true
  const lines = value.split('\n')
  return (
    lines.length <= CLOSE_LINES_MAX &&
    !lines
      .slice(1)
      .some((line) => /^[ \t\r\n]*(?:[{[]|[\w.-]{1,64}[ \t\r\n]*[:=]|\d{4}-\d\d-\d\d|<)/.test(line))
  )
}

function backslashesBefore(text: string, at: number, from: number): number {
  let count = 0
  while (at - count - 1 >= from && text.charCodeAt(at - count - 1) === 0x5c) count += 1
  return count
}

/** End of a shell word, whose adjacent parts are joined: `'it'\''s'`, `"a"'b'c`. */
function wordEnd(text: string, close: number, quote: string): number {
  if (quote !== "'" && quote !== '"') return close
  let end = close
  for (let rounds = 0; rounds < 64; rounds += 1) {
    const next = /^["'](?:\\['"]["']|(["'])(?:[^"'\n\\]|\\.){0,512}\1(?=["']))/.exec(
      text.slice(end, end + 520),
    )
    if (next === null || text[end] !== quote) return end
    const open = end + next[0].length
    const closing = text.indexOf(quote, next[1] === undefined ? open : open + 1)
    if (closing < 0 || closing > lineEnd(text, open)) return end
    end = closing
  }
  return end
}

/** End of a sticky expression's match at this place; null without a match. */
export function matchEnd(expression: RegExp, text: string, at: number): number | null {
  expression.lastIndex = at
  return expression.test(text) ? expression.lastIndex : null
}

/** At most this many characters before a place. */
export function textBefore(text: string, at: number, length: number): string {
  return text.slice(Math.max(0, at - length), at)
}

/** The line break found last: on a line with many values it is the same for all of them. */
let last = { text: '', from: 0, end: 0 }

export function lineEnd(text: string, at: number): number {
  if (last.text !== text || at < last.from || at > last.end) {
    const found = text.indexOf('\n', at)
    last = { text, from: at, end: found < 0 ? text.length : found }
  }
  const { end } = last
  if (end === text.length) return end
  return text.charCodeAt(end - 1) === 0x0d && end > at ? end - 1 : end
}

const LENGTH_MAX = 256 * 1024
const OPEN = '[{('
const CLOSE = ']})'

/** Every value between the bracket at `at` and the one that closes it, or up to the limit. Names of members are left out. */
export function valuesInBrackets(
  text: string,
  at: number,
  lengthMax = LENGTH_MAX,
): { readonly values: readonly Value[]; readonly end: number } {
  const values: Value[] = []
  const limit = Math.min(text.length, at + lengthMax)
  let depth = 0
  let index = at
  while (index < limit) {
    const sign = text[index] ?? ''
    if (OPEN.includes(sign)) {
      depth += 1
      index += 1
    } else if (CLOSE.includes(sign)) {
      depth -= 1
      index += 1
      if (depth === 0) return { values, end: index }
    } else if (/[ \t\r\n,;]/.test(sign)) index += 1
    else if (sign === '#' && /[ \t\r\n]/.test(text[index - 1] ?? ' ')) index = lineEnd(text, index)
    else {
      const value = elementAt(text, index, limit)
      index = Math.max(index + 1, value.next)
      if (value.end > value.start && !isName(text, value)) values.push(value)
    }
  }
  return { values, end: index }
}

/** A bare word may contain single blanks, like a plain scalar of YAML. */
const BARE_WORDS =
  /^[^ \t\r\n,;[\]{}()"'`]*(?:[ \t][^ \t\r\n,;[\]{}()#"'`][^ \t\r\n,;[\]{}()"'`]*)*/

function elementAt(text: string, at: number, limit: number): Value {
  const prefix = /^[bruf$]{1,2}(?=["'])/.exec(text.slice(at, at + 3))?.[0].length ?? 0
  const quote = quoteAt(text, at + prefix)
  if (quote !== null) return quotedValue(text, at + prefix, quote)
  const words = BARE_WORDS.exec(text.slice(at, limit))?.[0] ?? ''
  // `name: value` and `name=value` without quotes.
  const name = /^[\w.-]{1,64}(?:[:=]|=>)[ \t]*/.exec(words)?.[0] ?? ''
  const end = at + words.length
  return { start: at + name.length, end, isQuoted: false, next: end }
}

/** A name in quotes is followed by a colon, an arrow or an equals sign. */
const NAME_END = new RegExp(String.raw`^${QUOTE}[ \t\r\n]{0,8}(?::|=>|=)(?!:)`)

/** True for a name, which is followed by a colon or an arrow. */
function isName(text: string, { end, isQuoted }: Value): boolean {
  const rest = text.slice(end, end + 24)
  return isQuoted ? NAME_END.test(rest) : /^[ \t\r\n]{0,8}(?::|=>)(?!\/\/)/.test(rest)
}
