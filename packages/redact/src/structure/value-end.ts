import { HEADER, type Name } from './assigned-name.ts'
import { SCHEME } from './assigned-span.ts'

/** A value in running text, without its quotes. */
export interface TextValue {
  readonly start: number
  readonly end: number
  /** The closing quote; null without quotes. */
  readonly quote: string | null
  /** False if the text ended before the value did. */
  readonly isClosed: boolean
}

const OPENING =
  /\\{0,16}["'`]{1,3}|&(?:quot|apos|#0?34|#0?39|#x22|#x27);|%(?:25)*2[27]|\\{1,8}u002[27]/y
/** Limits of the search for a closing quote beyond its line. */
const CLOSE_DISTANCE_MAX = 64 * 1024
const CLOSE_LINES_MAX = 200

/** The quote that opens at this place, in any spelling; null without one. */
export function quoteAt(text: string, at: number): string | null {
  OPENING.lastIndex = at
  return OPENING.exec(text)?.[0] ?? null
}

/** The value that begins with this quote at `at`. A quote that is never closed takes the rest of the line. */
export function quotedValue(text: string, at: number, quote: string): TextValue {
  const start = at + quote.length
  if (/^\\*(?:""|'')$/.test(quote)) {
    // Two quotes are an empty value, or in CSV one doubled quote.
    const single = quote.slice(0, -1)
    const end = closeOf(text, start, quote)
    const isEmpty = end === null || /[\n\r]/.test(text.slice(start, end))
    return isEmpty
      ? { start: at + single.length, end: at + single.length, quote: single, isClosed: true }
      : { start, end, quote, isClosed: true }
  }
  const end = closeOf(text, start, quote)
  if (end !== null) return { start, end: wordEnd(text, end, quote), quote, isClosed: true }
  return { start, end: lineEnd(text, start), quote: null, isClosed: false }
}

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
    if (isPlain) {
      const before = backslashesBefore(text, at, start)
      if (before > escapes && !isBehindBackslashes(text, at, before, escapes)) continue
      if (
        escapes === 0 &&
        sign !== '`' &&
        text[at + 1] === sign &&
        !/[ \t\r\n,;:)\]}]/.test(text[at + 2] ?? '\n')
      ) {
        at += 1
        continue
      }
      if (continuesOnLines(text, start, at)) return before >= escapes ? at - escapes : at
      return null
    }
    return continuesOnLines(text, start, at) ? at : null
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

const BEFORE_LENGTH = 512
const PASSWORD = /pass|pwd|secret|kennwort|contrasena|senha|phrase/i

/** End of a value without quotes: of its line in settings and headers, else of the word. */
export function plainEnd(text: string, at: number, name: Name): number {
  const line = text.slice(at, lineEnd(text, at))
  // An unquoted value after a quoted name is a number or a word.
  const isEncoded = text.slice(name.end, at).includes('%')
  if (quoteAt(text, name.end) !== null) return wordEndOf(line, at, isEncoded)
  const before = text.slice(Math.max(0, name.start - BEFORE_LENGTH), name.start)
  const beforeOnLine = before.slice(before.lastIndexOf('\n') + 1)
  if (/[?&]$/.test(beforeOnLine))
    return at + (/[ \t\r\n&"<>#]|\\u0026|&amp;/.exec(line)?.index ?? line.length)
  const opened = openQuote(beforeOnLine)
  const stop = (expression: RegExp): number => at + (expression.exec(line)?.index ?? line.length)
  if (opened !== null) {
    // Inside a quoted text, such as a header after `-H`, the value ends with the quote.
    const close = stop(opened === '"' ? /\\*"|\\[rn]/ : /\\*'|\\[rn]/)
    return HEADER.test(name.text) || PASSWORD.test(name.text)
      ? close
      : Math.min(close, wordEndOf(line, at, isEncoded))
  }
  if (HEADER.test(name.text))
    return stop(
      beforeOnLine.includes('<')
        ? /\\[rn]|\\*["'`](?=[ \t\r\n,;)\]}]|$)|\\+["']|<\/?[A-Za-z]/
        : /\\[rn]|\\*["'`](?=[ \t\r\n,;)\]}]|$)|\\+["']/,
    )
  if (/^[ \t\r\n>*#-]*(?:export |set |setx |declare -x |ENV |ARG |- )?["']?$/i.test(beforeOnLine))
    return stop(/[ \t]+[#;](?=[ \t]|$)|[ \t]*,?$/)
  if (
    /[ \t]-{1,2}$/.test(text.slice(Math.max(0, name.start - 3), name.start)) ||
    name.text.startsWith('-')
  )
    return at + (SHELL_WORD.exec(line)?.[0].length ?? 0)
  if (PASSWORD.test(name.text))
    return stop(
      /\\[rn]|[,;|&"'`<>)\]}]|[ \t]+[\w.-]{1,40}[=:](?!\/\/)|[ \t]+(?:for|from|to|at|on|in|and|was|is)[ \t]|%26|[ \t]+-{1,2}\w/,
    )
  return wordEndOf(line, at, isEncoded)
}

/** Up to a blank or a shell operator, unless escaped by a backslash; a comma belongs to the word unless a list goes on. */
const SHELL_WORD = /^(?:\\[^\r\n]|,(?=[^ \t\r\n-])|[^ \t\r\n\\,;&|<>()"'`\]}])*/

function wordEndOf(line: string, at: number, isEncoded: boolean): number {
  const scheme = SCHEME.exec(line)?.[0].length ?? 0
  const rest = line.slice(scheme)
  return (
    at +
    scheme +
    ((isEncoded
      ? /[ \t\r\n,;&"'`<>)\]}|]|\\[rntu"']|%26|%22|%20/
      : /[ \t\r\n,;&"'`<>)\]}|]|\\[rntu"']/
    ).exec(rest)?.index ?? rest.length)
  )
}

/** The quote still open at the end of a stretch of a line. */
function openQuote(before: string): string | null {
  let open: string | null = null
  for (let at = 0; at < before.length; at += 1) {
    const sign = before[at]
    if (sign === '\\') at += 1
    else if (
      open === null &&
      (sign === '"' || (sign === "'" && !/[A-Za-z]/.test(before[at - 1] ?? ' ')))
    )
      open = sign
    else if (sign === open) open = null
  }
  return open
}
