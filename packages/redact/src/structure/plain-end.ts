import { HEADER, type Name } from './assigned-name.ts'
import { SCHEME } from './assigned-span.ts'
import { lineEnd, quoteAt } from './value-end.ts'

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
