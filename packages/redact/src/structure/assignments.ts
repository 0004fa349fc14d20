import { looksSecret } from '../names/looks-secret.ts'
import { NAME_TRIGGER, type NameRule, ruleOfName } from '../names/secret-names.ts'
import { readsLikeWords } from '../patterns/tokens.ts'
import type { Span } from '../span.ts'
import { hidesField, namedSpan } from './fields.ts'
import {
  beginsSetting,
  HEADER,
  type Name,
  nameAround,
  plainEnd,
  ruleOf,
  SCHEME,
  valueStart,
} from './named-value.ts'
import {
  matchEnd,
  quoteAt,
  quotedValue,
  textBefore,
  type Value,
  valuesInBrackets,
} from './values.ts'

/** `b"x"`, `**x`. */
const BEFORE_QUOTE = /(?:[bruf$]{1,2}(?=["'])|\*{1,3}(?=[^ \t\r\n]))/iy
/** `new String("x")`, `dict(password='x')`: every text in a call behind the name of a secret may be one. */
const CALL = /(?:(?:new|await)[ \t]+)?[A-Za-z_$][\w.$]{0,80}(?=\()/y
const CALL_LENGTH_MAX = 4096
const CALL_LINE_MAX = 512
/** `[]string{"x"}`, `map[string]string{`, `map[a:x b:y]`: what Go writes before its values. */
const GO_TYPE = /(?:[*&]?(?:\[\d*\]|map\[[^\]\n]{1,40}\])[\w.*[\]]{0,60}(?=\{)|map(?=\[))/y
/** `setPassword("x")`, `SetBasicAuth("u", "x")`. */
const SETTER =
  /^(?:[\w.]*\.)?(?:(?:set|with|use|add|put)[A-Z_]\w*|\w*basic_?auth|\w*credentials?)$/i

/** Values behind names of secrets, in settings, code, logs, headers, command lines and prose. */
export function assignmentsIn(text: string): Span[] {
  const spans: Span[] = []
  /** Calls were looked through as far as this. */
  const calls = { end: 0 }
  NAME_TRIGGER.lastIndex = 0
  for (let match = NAME_TRIGGER.exec(text); match !== null; match = NAME_TRIGGER.exec(text)) {
    const name = nameAround(text, match.index, NAME_TRIGGER.lastIndex)
    NAME_TRIGGER.lastIndex = Math.max(name.end, match.index + 1)
    const rule = ruleOf(text, name)
    if (rule === null || (rule.hides === 'field' && rule.inText !== true)) continue
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

/** Hidden values, and where the search for names goes on. */
interface Found {
  readonly spans: readonly Span[]
  readonly end: number
}

/** The texts in a call, as far as it was not looked through before; the search for names goes on inside of it. */
function inCall(text: string, at: number, rule: NameRule, calls: { end: number }): Found {
  if (at < calls.end) return { spans: [], end: at + 1 }
  const { values, end } = valuesInBrackets(text, at, CALL_LENGTH_MAX)
  calls.end = end
  return {
    end: at + 1,
    spans: values.flatMap((value) =>
      value.isQuoted && !isVariable(text.slice(value.start, value.end))
        ? spanOf(text, value, rule)
        : [],
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

function valuesAt(
  text: string,
  given: number,
  name: Name,
  rule: NameRule,
  calls: { end: number },
): Found {
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
    const value = countedValue(text, at, quote) ?? quotedValue(text, prefix ?? at, quote)
    return { spans: spanOf(text, value, rule), end: value.end }
  }
  if (/[[{]/.test(text[at] ?? '') || /^\([ \t\r\n]{0,64}["']/.test(text.slice(at, at + 66))) {
    const { values, end } = valuesInBrackets(text, at)
    return { spans: values.flatMap((value) => spanOf(text, value, rule)), end }
  }
  const isVerbatim = isSetting(text, name, given)
  const call = isVerbatim || HEADER.test(name.text) ? null : matchEnd(CALL, text, at)
  if (call !== null && isCall(text, call)) return inCall(text, call, rule, calls)
  const end = plainEnd(text, at, name)
  const value = { start: at, end, isQuoted: isVerbatim }
  // Behind a quoted name a number becomes a text.
  const numberQuote = /^\\{0,16}"/.exec(text.slice(name.end, name.end + 17))?.[0]
  return { spans: spanOf(text, value, rule, numberQuote), end }
}

/** PHP counts the bytes of a text in front of it, and escapes no quote in it. */
function countedValue(text: string, at: number, quote: string): Value | null {
  const count = /(?:\bs:|\bstring\()(\d{1,6})(?::|\)[ \t])$/.exec(textBefore(text, at, 18))?.[1]
  if (count === undefined) return null
  const start = at + quote.length
  const end = start + Number(count)
  return text.startsWith(quote, end)
    ? { start, end, isQuoted: true, next: end + quote.length }
    : null
}

/** `DB_PASS=a(b)`: a file of variables holds no calls. */
function isSetting(text: string, name: Name, at: number): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(name.text) && at === name.end + 1 && beginsSetting(text, name)
}

/** Fewer letters may be an abbreviation. */
const DRAWN_LENGTH_MIN = 8

/** Hides the value of a name, unless its rule lets it stay. `quote`: the quote to add if the value is a number. */
export function spanOf(
  text: string,
  { start, end, isQuoted }: Omit<Value, 'next'>,
  rule: NameRule,
  quote?: string,
): readonly Span[] {
  const value = text.slice(start, end)
  const stays =
    !hidesField(rule, value, true) ||
    (!isQuoted &&
      (isCode(value) ||
        isType(text, start, value) ||
        (rule.hides === 'text' && !looksSecret(value))))
  if (stays) return []
  const needsQuote = quote !== undefined && !isQuoted && /^-?\d/.test(value)
  // A word in running text is hidden in this place only; elsewhere it may mean nothing.
  const certainty = !isQuoted && isWord(value) && !startsLine(text, start) ? 'here' : 'named'
  return [
    {
      ...namedSpan(rule.kind, start, value),
      certainty,
      ...partsOf(value),
      ...(needsQuote ? { quote } : {}),
    },
  ]
}

/** True for letters that may be a word: short ones, and those that read like one. */
function isWord(value: string): boolean {
  return (
    /^(?:[A-Za-z]?[a-z]+|[A-Z]+)$/.test(value) &&
    (value.length < DRAWN_LENGTH_MIN || readsLikeWords(value))
  )
}

function startsLine(text: string, start: number): boolean {
  return /(?:^|\n)[ \t<>*-]*[\w."'-]{1,96}[ \t]*[:=][ \t]*$/.test(textBefore(text, start, 128))
}

/** Secrets inside a value: a token after its scheme, the values of cookies. */
function partsOf(value: string): { readonly parts?: readonly string[] } {
  const scheme = SCHEME.exec(value)
  const line = /\\[rn]|<\//.exec(value)
  if (line !== null && line.index > 0) return { parts: [value.slice(0, line.index)] }
  if (/[^*]\*{1,3}$/.test(value)) return { parts: [value.replace(/^\*{1,3}|\*{1,3}$/g, '')] }
  if (/.[;,]$/.test(value)) return { parts: [value.slice(0, -1)] }
  if (scheme !== null) return { parts: [value.slice(scheme[0].length)] }
  const cookies = value.split(/;[ \t\r\n]*/)
  if (cookies.length > 1 || /^[\w.-]+=[^=]/.test(value))
    return { parts: cookies.flatMap((cookie) => /^[\w.-]+=(.*)$/.exec(cookie)?.[1] ?? []) }
  // A header extends to the end of its line, but in a log other fields follow it.
  const field = /^([^ \t]+)[ \t]+[\w.-]{1,40}=/.exec(value)?.[1]
  return field === undefined ? {} : { parts: [field] }
}

/** True for code after a name that is not a value: a call, a type, a comparison, an expression. */
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

/** True for a type after a colon: `auth: RefreshAuth,`. */
function isType(text: string, start: number, value: string): boolean {
  return (
    /:[ \t]$/.test(text.slice(start - 2, start)) &&
    /^(?:[A-Z][a-z]+){2,}[,;)]?$/.test(value) &&
    readsLikeWords(value)
  )
}
