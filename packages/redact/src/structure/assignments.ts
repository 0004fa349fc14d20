import { isHarmless, isPlainValue } from '../names/harmless.ts'
import { looksSecret } from '../names/looks-secret.ts'
import { NAME_TRIGGER, type NameRule, ruleOfName } from '../names/secret-names.ts'
import type { Span } from '../span.ts'
import { isCode, isType } from './code-values.ts'
import { directiveStart } from './directives.ts'
import { pairsIn } from './pairs.ts'
import { queriesIn } from './queries.ts'
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
const PROSE =
  /[ \t]{1,4}(?:(?:is|was|are|provided|given|supplied|entered|received)[ \t]{0,4}:[ \t]{1,4}(?=[^ \t\r\n])|(?:is|was|are)[ \t]{1,4}(?=[^ \t\r\n]*[\d!@#$%^&*?]))|[ \t]{1,4}(?:by[ \t]{1,4})?(?=["'])/iy
/** `b"x"`, `**x`. */
const BEFORE_QUOTE = /(?:[bruf$]{1,2}(?=["'])|\*{1,3}(?=[^ \t\r\n]))/iy
/** `new String("x")`, `dict(password='x')`: every text in a call behind the name of a secret may be one. */
const CALL = /(?:(?:new|await)[ \t]+)?[A-Za-z_$][\w.$]{0,80}(?=\()/y
const CALL_LENGTH_MAX = 4096
const CALL_LINE_MAX = 512
/** `[]string{"x"}`, `map[string]string{`, `map[a:x b:y]`: what Go writes before its values. */
const GO_TYPE = /(?:[*&]?(?:\[\d*\]|map\[[^\]\n]{1,40}\])[\w.*[\]]{0,60}(?=\{)|map(?=\[))/y
/** `var Token string = "x"`, `token: string = "x"`. */
const TYPED = /[ \t]{0,4}:?[ \t]{1,4}[A-Za-z_*][\w.*<>[\]]{0,40}[ \t]{0,8}:?=[ \t]{0,8}(?=["'`])/y
/** `process.env.TOKEN || "x"`, `os.getenv("TOKEN") or "x"`. */
const OTHERWISE = /(?:["'`]?\))?[ \t]{0,8}(?:\|\||\?\?=?|\bor\b|\?:)[ \t\r\n]{0,8}(?=["'`])/y
/** `setPassword("x")`, `SetBasicAuth("u", "x")`. */
const SETTER =
  /^(?:[\w.]*\.)?(?:(?:set|with|use|add|put)[A-Z_]\w*|\w*basic_?auth|\w*credentials?)$/i
/** `add_argument('--password', default='x')`. */
const DEFAULT = /["'`][^()\n]{0,200}?\bdefault[ \t]{0,4}[:=][ \t]{0,4}(?=["'`])/y
/** `define('DB_PASSWORD', 'x')`, `("X-Api-Key", "x")`. */
const ARGUMENT = new RegExp(
  String.raw`${QUOTE_END}[ \t]{0,8},[ \t\r\n]{0,64}(?=${QUOTE_END}|\d{4}|(?:new[ \t]+)?[A-Za-z_][\w.]{0,40}\(["'])`,
  'y',
)

/** Values behind names of secrets, in settings, code, logs, headers, command lines and prose. */
export function assignmentsIn(text: string): Span[] {
  const spans: Span[] = [...pairsIn(text), ...queriesIn(text)]
  /** Calls were looked through as far as this. */
  const calls = { end: 0 }
  NAME_TRIGGER.lastIndex = 0
  for (let match = NAME_TRIGGER.exec(text); match !== null; match = NAME_TRIGGER.exec(text)) {
    const name = nameAround(text, match.index, NAME_TRIGGER.lastIndex)
    NAME_TRIGGER.lastIndex = Math.max(name.end, match.index + 1)
    const rule = ruleOf(text, name)
    if (rule === null || rule.hides === 'field') continue
    const setter =
      rule.hides === 'always' && text[name.end] === '(' && SETTER.test(name.text)
        ? inCall(text, name.end, rule, calls)
        : null
    if (setter !== null) spans.push(...setter.spans)
    const at = valueStart(text, name, rule)
    if (at === null) continue
    const found = valuesAt(text, at, name, rule, calls)
    spans.push(...found.spans)
    // A name inside a value is not looked for, so that a line of names alone takes no longer than its length.
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

/** Words before `key` say whose it is: `api key`, `management key`. */
function ruleOf(text: string, name: Name): NameRule | null {
  const rule = ruleOfName(name.text)
  if (!/^(?:keys?|codes?)$/i.test(name.text)) return rule
  const owner = /([A-Za-z]{2,20}) $/.exec(text.slice(Math.max(0, name.start - 24), name.start))?.[1]
  const owned = owner === undefined ? null : ruleOfName(`${owner}_${name.text}`)
  return owned?.hides === 'always' ? owned : rule
}

/** Where the value of a name begins; null where none follows. */
function valueStart(text: string, name: Name, rule: NameRule): number | null {
  const typed = rule.hides === 'always' ? matchEnd(TYPED, text, name.end) : null
  if (typed !== null) return typed
  const after = matchEnd(SEPARATOR, text, name.end)
  // A value may itself begin with the sign: at the beginning of a line nothing is compared.
  if (
    after !== null &&
    /^={2}/.test(text.slice(name.end, name.end + 2)) &&
    !/[ \t]/.test(text[after - 1] ?? '') &&
    beginsSetting(text, name)
  )
    return name.end + 1
  if (after !== null)
    return isNamespace(text, name.end) ||
      isCondition(text, name) ||
      isComparison(text, name.end, after)
      ? null
      : after
  if (rule.hides !== 'always') return null
  const isFlag =
    /(?:^|[ \t\r\n"'=([,])-{1,2}$/.test(text.slice(Math.max(0, name.start - 3), name.start)) ||
    name.text.startsWith('-')
  if (isFlag) {
    const inList = /\[[^\]\n]{0,256}$/.test(text.slice(Math.max(0, name.start - 260), name.start))
      ? matchEnd(BARE_ARGUMENT, text, name.end)
      : null
    return (
      matchEnd(DEFAULT, text, name.end) ??
      matchEnd(FLAG_SEPARATOR, text, name.end) ??
      matchEnd(BLANKS, text, name.end) ??
      inList
    )
  }
  return (
    argumentStart(text, name) ??
    matchEnd(OTHERWISE, text, name.end) ??
    directiveStart(text, name.start, name.end, name.text) ??
    (REFUSAL.test(text.slice(Math.max(0, name.start - 24), name.start))
      ? matchEnd(REFUSED, text, name.end)
      : null) ??
    matchEnd(PROSE, text, name.end)
  )
}

/** `[--token, x]`. */
const BARE_ARGUMENT = /[ \t]{0,8},[ \t]{0,8}(?=[^ \t\r\n"'\]-])/y
/** `invalid token x`, `bad password x`. */
const REFUSAL =
  /\b(?:invalid|bad|wrong|incorrect|unknown|expired|rejected|refused)[ \t](?:[A-Za-z]{2,16}[ \t])?$/i
const REFUSED = /[ \t]{1,4}(?=[^ \t\r\n]*[\d!@#$%^&*?])/y

function beginsSetting(text: string, name: Name): boolean {
  return /(?:^|\n)[ \t]*(?:export |set |ENV |ARG |- )?$/.test(
    text.slice(Math.max(0, name.start - 80), name.start),
  )
}

/** `api_key`, `API_KEY`, `apiKey`, `X-Api-Key`; random letters hardly ever look so. */
const WRITTEN_AS_NAME =
  /^(?:[a-z][a-z\d]*(?:[_.-][a-z\d]+)*|[A-Z][A-Z\d]*(?:_[A-Z\d]+)*|[A-Za-z][a-z\d]*(?:-?[A-Z][a-z\d]+)*)$/

/** The value beside a name in a call or a tuple, in a list of two, or behind the name of a header in a list. */
function argumentStart(text: string, name: Name): number | null {
  const at = matchEnd(ARGUMENT, text, name.end)
  if (at === null || !/["'`]/.test(text[name.start - 1] ?? '')) return null
  const quote = quoteAt(text, at)
  const value = quote === null ? null : quotedValue(text, at, quote)
  // A list of names is not a list of names and values.
  const second = value === null ? '' : text.slice(value.start, value.end)
  if (WRITTEN_AS_NAME.test(second) && ruleOfName(second) !== null) return null
  const opening = /[([][ \t\r\n]{0,64}\\{0,16}["'`]$/.exec(
    text.slice(Math.max(0, name.start - 84), name.start),
  )?.[0][0]
  if (opening === '(' || HEADER.test(name.text)) return at
  return opening === '[' &&
    value !== null &&
    /^\\{0,16}["'`][ \t\r\n]{0,64}\]/.test(text.slice(value.end, value.end + 84))
    ? at
    : null
}

/** The texts in a call, as far as it was not looked through before; the search for names goes on inside of it. */
function inCall(
  text: string,
  at: number,
  rule: NameRule,
  calls: { end: number },
): { readonly spans: Span[]; readonly end: number } {
  if (at < calls.end) return { spans: [], end: at + 1 }
  const { scalars, end } = scalarsInBrackets(text, at, CALL_LENGTH_MAX)
  calls.end = end
  return {
    end: at + 1,
    spans: scalars.flatMap(({ start, end: to, isQuoted }) =>
      isQuoted && !isVariable(text.slice(start, to)) ? spanOf(text, start, to, rule, true) : [],
    ),
  }
}

/** A password may hold a bracket: what is called is closed on its line, and nothing else stands behind it, or its arguments are on the next lines. */
function isCall(text: string, at: number): boolean {
  const line = /^[^\r\n]*/.exec(text.slice(at, at + CALL_LINE_MAX))?.[0] ?? ''
  return (
    /^\([ \t]*(?:$|["'`A-Za-z_$\d)({[*&.-])/.test(line) &&
    /(?:\)(?:[ \t;,.)\]}:?|&]|$)|[([{,]$)/.test(line)
  )
}

/** `env('DB_PASSWORD')` reads a variable. */
function isVariable(value: string): boolean {
  return /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) && ruleOfName(value) !== null
}

/** `x ? 'token' : 'none'`: no name. */
function isCondition(text: string, name: Name): boolean {
  return (
    /\?[ \t\r\n]{0,8}["'`]?(?:[\w$]{1,64}\.)?$/.test(
      text.slice(Math.max(0, name.start - 80), name.start),
    ) && !/[?&]["'`]?$/.test(text.slice(Math.max(0, name.start - 2), name.start))
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

function valuesAt(
  text: string,
  given: number,
  name: Name,
  rule: NameRule,
  calls: { end: number },
): { readonly spans: Span[]; readonly end: number } {
  let at = matchEnd(GO_TYPE, text, given) ?? given
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
  if (/[[{]/.test(text[at] ?? '') || /^\([ \t\r\n]{0,64}["']/.test(text.slice(at, at + 66)))
    return inBrackets(text, at, rule)
  const isVerbatim = isSetting(text, name, given)
  const call = isVerbatim || HEADER.test(name.text) ? null : matchEnd(CALL, text, at)
  if (call !== null && isCall(text, call)) return inCall(text, call, rule, calls)
  const end = plainEnd(text, at, name)
  return { spans: spanOf(text, at, end, rule, isVerbatim, numberQuote(text, name)), end }
}

/** `DB_PASS=a(b)`: a file of variables holds no calls. */
function isSetting(text: string, name: Name, at: number): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(name.text) && at === name.end + 1 && beginsSetting(text, name)
}

function inBrackets(
  text: string,
  at: number,
  rule: NameRule,
): { readonly spans: Span[]; readonly end: number } {
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
  const isEncoded = text.slice(name.end, at).includes('%')
  if (quoteAt(text, name.end) !== null) return wordEndOf(line, at, isEncoded)
  const before = text.slice(Math.max(0, name.start - BEFORE_LENGTH), name.start)
  const beforeOnLine = before.slice(before.lastIndexOf('\n') + 1)
  if (/[?&]$/.test(beforeOnLine))
    return at + (/[ \t\r\n&"<>#]|\\u0026|&amp;/.exec(line)?.index ?? line.length)
  const opened = openQuote(beforeOnLine)
  const stop = (expression: RegExp): number => at + (expression.exec(line)?.index ?? line.length)
  if (opened !== null) {
    // Inside of a quoted text, as of a header behind `-H`, the value ends with it.
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

/** Up to a blank or a sign of the shell, but for one behind a backslash; a comma belongs to it unless a list goes on. */
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

/** The quote that is still open at the end of a stretch of a line. */
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

function spanOf(
  text: string,
  start: number,
  end: number,
  rule: NameRule,
  isQuoted: boolean,
  quote?: string,
): Span[] {
  const value = text.slice(start, end)
  if (
    value === '' ||
    (isQuoted
      ? isHarmless(value)
      : isHarmless(value) || isCode(value) || isType(text, start, value))
  )
    return []
  if (
    rule.hides === 'text' &&
    (isPlainValue(value) || /^[A-Za-z]{1,12}$/.test(value) || (!isQuoted && !looksSecret(value)))
  )
    return []
  if (rule.hides === 'likely' && !looksSecret(value)) return []
  const needsQuote = quote !== undefined && !isQuoted && /^-?\d/.test(value)
  // A word in running text is hidden where it stands; elsewhere it may mean nothing.
  const certainty =
    !isQuoted && /^(?:[A-Za-z]?[a-z]+|[A-Z]+)$/.test(value) && !startsLine(text, start)
      ? 'here'
      : 'named'
  return [
    {
      start,
      end,
      kind: rule.kind,
      value,
      certainty,
      ...partsOf(value),
      ...(needsQuote ? { quote } : {}),
    },
  ]
}

function startsLine(text: string, start: number): boolean {
  return /(?:^|\n)[ \t<>*-]*[\w."'-]{1,96}[ \t]*[:=][ \t]*$/.test(
    text.slice(Math.max(0, start - 128), start),
  )
}

/** What is a secret inside of a value: a token behind its scheme, the values of cookies. */
function partsOf(value: string): { readonly parts?: readonly string[] } {
  const scheme = SCHEME.exec(value)
  const line = /\\[rn]|<\//.exec(value)
  if (line !== null && line.index > 0) return { parts: [value.slice(0, line.index)] }
  if (/.[;,]$/.test(value)) return { parts: [value.slice(0, -1)] }
  if (scheme !== null) return { parts: [value.slice(scheme[0].length)] }
  const cookies = value.split(/;[ \t\r\n]*/)
  if (cookies.length > 1 || /^[\w.-]+=[^=]/.test(value))
    return { parts: cookies.flatMap((cookie) => /^[\w.-]+=(.*)$/.exec(cookie)?.[1] ?? []) }
  return {}
}
