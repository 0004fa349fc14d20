import { isHarmless, isPlainValue } from '../names/harmless.ts'
import { looksSecret } from '../names/looks-secret.ts'
import { NAME_TRIGGER, type NameRule, ruleOfName } from '../names/secret-names.ts'
import { readsLikeWords } from '../patterns/tokens.ts'
import type { Span } from '../span.ts'
import { scalarsInBrackets } from './scalars.ts'
import { lineEnd, quoteAt, quotedValue } from './value-end.ts'

const NAME_LENGTH_MAX = 96
const BEFORE_LENGTH = 512
const isNameSign = (text: string, at: number) => /[\w.-]/.test(text[at] ?? ' ')

/** What may stand between a name and its value. */
const QUOTE_END = String.raw`(?:\\{0,16}["'${'`'}]|&(?:quot|apos|#0?34|#0?39);|%(?:25)*2[27]|\\{1,8}u002[27])`
const SEPARATOR = new RegExp(
  String.raw`${QUOTE_END}?[)\]]{0,2}(?:%5[dD])?[ \t]{0,64}(?:(?<=[ \t])\((?:[^()\n]{0,40})\)[ \t]{0,8})?(?:=>|:=|::|[:=]{1,3}|\?=|\+=|->|%(?:25)*3[dDaA]|&#0?61;|&equals;|\\{1,8}u003[dDaA]|\\[:=])(?:[ \t]|%20){0,64}`,
  'y',
)
/** In a list of arguments a flag and its value are two texts. */
const FLAG_SEPARATOR = new RegExp(
  String.raw`${QUOTE_END}[ \t]*,[ \t\r\n]{0,64}(?:\\{0,16}"\d{1,9}\\{0,16}"[ \t]*:[ \t\r\n]{0,64})?(?=${QUOTE_END})(?!\\{0,16}"[\w.-]{1,64}\\{0,16}"[ \t]*:)`,
  'y',
)
const BLANKS = /[ \t]{1,16}(?:\\\r?\n[ \t]*)?/y
/** `password is hunter2`, `IDENTIFIED BY 'x'`. */
const PROSE = /[ \t]{1,4}(?:is|was|are)[ \t]{1,4}(?=[^ \t\r\n]*[\d!@#$%^&*?])|[ \t]{1,4}(?:by[ \t]{1,4})?(?=["'])/iy
/** Quotes of the value may come behind a type or a call: `String password = new String("x")`, `Some("x")`, `b"x"`. */
const BEFORE_QUOTE = /(?:(?:new[ \t]+)?[A-Za-z_][\w.]{0,40}\((?=["'`])|[bruf$]{1,2}(?=["'])|\*{1,3}(?=[^ \t\r\n]))/iy

/** Values behind names of secrets, in settings, code, logs, headers, command lines and prose. */
export function assignmentsIn(text: string): Span[] {
  const spans: Span[] = []
  NAME_TRIGGER.lastIndex = 0
  for (let match = NAME_TRIGGER.exec(text); match !== null; match = NAME_TRIGGER.exec(text)) {
    const name = nameAround(text, match.index, NAME_TRIGGER.lastIndex)
    NAME_TRIGGER.lastIndex = Math.max(name.end, match.index + 1)
    const rule = ruleOfName(name.text)
    if (rule === null || rule.hides === 'field') continue
    const at = valueStart(text, name, rule)
    if (at === null) continue
    const found = valuesAt(text, at, name, rule)
    spans.push(...found.spans)
    // What stands inside of a value is no further name, so that a line of names alone takes no longer than its length.
    NAME_TRIGGER.lastIndex = Math.max(NAME_TRIGGER.lastIndex, found.end)
  }
  return spans
}

interface Name {
  readonly start: number
  readonly end: number
  readonly text: string
}

function nameAround(text: string, from: number, to: number): Name {
  let start = from
  let end = to
  while (start > 0 && from - start < NAME_LENGTH_MAX && isNameSign(text, start - 1)) start -= 1
  while (end < text.length && end - to < NAME_LENGTH_MAX && isNameSign(text, end)) end += 1
  while (end > to && /[.-]/.test(text[end - 1] ?? '')) end -= 1
  const left = /[\\%]$/.test(text.slice(Math.max(0, start - 1), start))
    ? /^(?:[nrt](?=[A-Za-z])|[0-9A-Fa-f]{2})/.exec(text.slice(start, end))
    : null
  const begin = start + (left?.[0].length ?? 0)
  return { start: begin, end, text: text.slice(begin, end) }
}

/** Where the value of a name begins; null where none follows. */
function valueStart(text: string, name: Name, rule: NameRule): number | null {
  const after = matchEnd(SEPARATOR, text, name.end)
  if (after !== null) return isNamespace(text, name.end) || isCondition(text, name) || isComparison(text, name.end, after) ? null : after
  if (rule.hides !== 'always') return null
  const isFlag = /(?:^|[ \t\r\n"'=([,])-{1,2}$/.test(text.slice(Math.max(0, name.start - 3), name.start)) || name.text.startsWith('-')
  if (isFlag) return matchEnd(FLAG_SEPARATOR, text, name.end) ?? matchEnd(BLANKS, text, name.end)
  return matchEnd(PROSE, text, name.end)
}

/** `x ? 'token' : 'none'`: no name. */
function isCondition(text: string, name: Name): boolean {
  return (
    /\?[ \t\r\n]{0,8}["'`]?(?:[\w$]{1,64}\.)?$/.test(text.slice(Math.max(0, name.start - 80), name.start)) &&
    !/[?&]["'`]?$/.test(text.slice(Math.max(0, name.start - 2), name.start))
  )
}

/** `token === other`: what it is compared with counts only when it is a text. */
function isComparison(text: string, from: number, to: number): boolean {
  return text.slice(from, to).includes('==') && !/["'`]/.test(text[to] ?? '')
}

/** `std::string`, `Auth::login()`: no value. */
function isNamespace(text: string, at: number): boolean {
  return text.startsWith('::', at) && /^::[A-Za-z_]\w*[(:;]/.test(text.slice(at, at + 80))
}

function matchEnd(expression: RegExp, text: string, at: number): number | null {
  expression.lastIndex = at
  return expression.test(text) ? expression.lastIndex : null
}

function valuesAt(text: string, given: number, name: Name, rule: NameRule): { readonly spans: Span[]; readonly end: number } {
  let at = given
  // A value may stand on the next line behind a quoted name, as printers of JSON write it.
  if (/[\r\n]/.test(text[at] ?? '')) {
    const next = /^[ \t\r\n]{1,256}(?=["'[{])/.exec(text.slice(at, at + 258))
    if (next === null || !/["']/.test(text[name.end] ?? '')) return { spans: [], end: at }
    at += next[0].length
  }
  const prefix = matchEnd(BEFORE_QUOTE, text, at)
  const quote = quoteAt(text, prefix ?? at)
  if (quote !== null) {
    const value = quotedValue(text, prefix ?? at, quote)
    return { spans: spanOf(text, value.start, value.end, rule, true), end: value.end }
  }
  if (/[[{]/.test(text[at] ?? '') || /^\([ \t\r\n]{0,64}["']/.test(text.slice(at, at + 66))) return inBrackets(text, at, rule)
  const end = plainEnd(text, at, name)
  return { spans: spanOf(text, at, end, rule, false, numberQuote(text, name)), end }
}

function inBrackets(text: string, at: number, rule: NameRule): { readonly spans: Span[]; readonly end: number } {
  const { scalars, end } = scalarsInBrackets(text, at)
  const spans = scalars.flatMap(({ start, end: to, isQuoted }) =>
    spanOf(text, start, to, rule, isQuoted, isQuoted ? undefined : quoteInside(text, at)),
  )
  return { spans, end }
}

/** A list that has quotes is one of JSON: what takes the place of a number needs them. */
function quoteInside(text: string, at: number): string | undefined {
  return text[at] === '[' && /^\[ \t\r\n*[-\d]/.test(text.slice(at, at + 64)) ? '"' : undefined
}

/** Behind a quoted name a number becomes a text. */
function numberQuote(text: string, name: Name): string | undefined {
  return /^\\{0,16}"/.exec(text.slice(name.end, name.end + 17))?.[0]
}

const SCHEME = /^(?:Bearer|Basic|Token|Digest|Negotiate|ApiKey|AWS4-HMAC-SHA256|Key)[ \t]+/i
const HEADER = /^(?:proxy-)?authorization$|cookie$|^x-.*(?:key|token|secret|auth|password)/i
const PASSWORD = /pass|pwd|secret|kennwort|contrasena|senha|phrase/i

/** The end of a value without quotes: of its line in settings and headers, else of the word. */
function plainEnd(text: string, at: number, name: Name): number {
  const line = text.slice(at, lineEnd(text, at))
  // What follows a quoted name without quotes is a number or a word.
  if (quoteAt(text, name.end) !== null) return wordEndOf(line, at)
  const before = text.slice(Math.max(0, name.start - BEFORE_LENGTH), name.start)
  const beforeOnLine = before.slice(before.lastIndexOf('\n') + 1)
  if (/[?&]$/.test(beforeOnLine)) return at + (/[ \t\r\n&"<>#]|\\u0026|&amp;/.exec(line)?.index ?? line.length)
  const opened = openQuote(beforeOnLine)
  const stop = (expression: RegExp): number => at + (expression.exec(line)?.index ?? line.length)
  if (opened !== null) {
    // Inside of a quoted text, as of a header behind `-H`, the value ends with it.
    const close = stop(opened === '"' ? /\\*"|\\[rn]/ : /\\*'|\\[rn]/)
    return HEADER.test(name.text) || PASSWORD.test(name.text) ? close : Math.min(close, wordEndOf(line, at))
  }
  if (HEADER.test(name.text)) return stop(/\\[rn]|\\*["'`](?=[ \t\r\n,;)\]}]|$)|\\+["']|[<>]/)
  if (/^[ \t\r\n>*#-]*(?:export |set |setx |declare -x |ENV |ARG |- )?["']?$/i.test(beforeOnLine))
    return stop(/[ \t]+[#;]|\\[rn]|<\/|[ \t]*,?$/)
  if (PASSWORD.test(name.text))
    return stop(/\\[rn]|[,;|&"'`<>)\]}]|[ \t]+[\w.-]{1,40}[=:](?!\/\/)|[ \t]+(?:for|from|to|at|on|in|and|was|is)[ \t]|%26|[ \t]+-{1,2}\w/)
  return wordEndOf(line, at)
}

function wordEndOf(line: string, at: number): number {
  const scheme = SCHEME.exec(line)?.[0].length ?? 0
  const rest = line.slice(scheme)
  return at + scheme + (/[ \t\r\n,;&"'`<>)\]}|]|\\[rntu"']|%26|%22|%20/.exec(rest)?.index ?? rest.length)
}

/** The quote that is still open at the end of a stretch of a line. */
function openQuote(before: string): string | null {
  let open: string | null = null
  for (let at = 0; at < before.length; at += 1) {
    const sign = before[at]
    if (sign === '\\') at += 1
    else if (open === null && (sign === '"' || (sign === "'" && !/[A-Za-z]/.test(before[at - 1] ?? ' ')))) open = sign
    else if (sign === open) open = null
  }
  return open
}

function spanOf(text: string, start: number, end: number, rule: NameRule, isQuoted: boolean, quote?: string): Span[] {
  const value = text.slice(start, end)
  if (value === '' || (isQuoted ? isHarmless(value) : isHarmless(value) || isCode(value) || isType(text, start, value))) return []
  if (rule.hides === 'text' && (isPlainValue(value) || /^[A-Za-z]{1,12}$/.test(value) || (!isQuoted && !looksSecret(value)))) return []
  if (rule.hides === 'likely' && !looksSecret(value)) return []
  const needsQuote = quote !== undefined && !isQuoted && /^-?\d/.test(value)
  // A word in running text is hidden where it stands; elsewhere it may mean nothing.
  const certainty = !isQuoted && /^(?:[A-Za-z]?[a-z]+|[A-Z]+)$/.test(value) && !startsLine(text, start) ? 'here' : 'named'
  return [{ start, end, kind: rule.kind, value, certainty, ...partsOf(value), ...(needsQuote ? { quote } : {}) }]
}

function startsLine(text: string, start: number): boolean {
  return /(?:^|\n)[ \t<>*-]*[\w."'-]{1,96}[ \t]*[:=][ \t]*$/.test(text.slice(Math.max(0, start - 128), start))
}

/** What stands behind a name in code and is no value: a call, a type, a comparison, an expression. */
function isCode(value: string): boolean {
  return (
    /^(?:[=!<>]=+ |[=!<>&|({[\])};,]+$|\/.*\/[gimsuy]*$)/.test(value) ||
    / (?:[=!]==?|&&|\|\||\?\?|=>) /.test(value) ||
    /^(?:[A-Za-z_$][\w$]*\.)*[A-Za-z_$][\w$]*\([^)]*\);?,?$/.test(value) ||
    /^(?:string|number|boolean|str|int|bool|bytes|any|unknown|Buffer|Redacted|null|undefined|void|char|uint8|byte|String|Option|Optional)\b[ \t\r\n|<>[\]?*,;=)]*(?:(?:null|undefined|string|number)[ \t\r\n|,;=)]*)*$/.test(
      value,
    )
  )
}

/** `auth: RefreshAuth,`: words in capitals behind a colon. */
function isType(text: string, start: number, value: string): boolean {
  return /:[ \t]$/.test(text.slice(start - 2, start)) && /^(?:[A-Z][a-z]+){2,}[,;)]?$/.test(value) && readsLikeWords(value)
}

/** What is a secret inside of a value: a token behind its scheme, the values of cookies. */
function partsOf(value: string): { readonly parts?: readonly string[] } {
  const scheme = SCHEME.exec(value)
  if (scheme !== null) return { parts: [value.slice(scheme[0].length)] }
  const cookies = value.split(/;[ \t\r\n]*/)
  if (cookies.length > 1 || /^[\w.-]+=[^=]/.test(value))
    return { parts: cookies.flatMap((cookie) => /^[\w.-]+=(.*)$/.exec(cookie)?.[1] ?? []) }
  return {}
}
