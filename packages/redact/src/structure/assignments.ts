import { isHarmless } from '../names/harmless.ts'
import { NAME_TRIGGER, type NameRule, ruleOfName } from '../names/secret-names.ts'
import type { Span } from '../span.ts'
import { spanOf } from './assigned-span.ts'
import { namedSpan } from './fields.ts'
import {
  beginsSetting,
  HEADER,
  type Name,
  nameAround,
  plainEnd,
  ruleOf,
  valueStart,
} from './named-value.ts'
import {
  matchEnd,
  quoteAt,
  quotedValue,
  textBefore,
  type Value,
  valueAt,
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

/** The texts in a call, as far as it was not looked through before; the search for names goes on inside of it. */
function inCall(
  text: string,
  at: number,
  rule: NameRule,
  calls: { end: number },
): { readonly spans: Span[]; readonly end: number } {
  if (at < calls.end) return { spans: [], end: at + 1 }
  const { values, end } = valuesInBrackets(text, at, CALL_LENGTH_MAX)
  calls.end = end
  return {
    end: at + 1,
    spans: values.flatMap(({ start, end: to, isQuoted }) =>
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
    const value = countedValue(text, at, quote) ?? quotedValue(text, prefix ?? at, quote)
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

function inBrackets(
  text: string,
  at: number,
  rule: NameRule,
): { readonly spans: Span[]; readonly end: number } {
  const { values, end } = valuesInBrackets(text, at)
  const spans = values.flatMap(({ start, end: to, isQuoted }) =>
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

/** Names that are too common to hide any value elsewhere; in the query of a URL they hold a key, a signature or the state of a login. */
const PARAMETER =
  /(?:[?&]|&amp;|\\{1,8}u0026|%3[fF]|%26)(?:key|k|sig|signature|state|code|x-amz-signature|x-goog-signature)(?:=|%3[dD])([^ \t\r\n&"'`<>#\\,;)\]}%]{2,4096}(?:%(?!26)[^ \t\r\n&"'`<>#\\,;)\]}%]{0,512}){0,64})/gi

/** Secrets in the queries of URLs whose names say little. */
function queriesIn(text: string): Span[] {
  return [...text.matchAll(PARAMETER)].flatMap((match) => {
    const value = match[1] ?? ''
    if (isHarmless(value) || /^\d{1,3}$/.test(value) || /^[$%{[]/.test(value)) return []
    const start = match.index + match[0].length - value.length
    const span = namedSpan('secret', start, value)
    // A word means nothing elsewhere.
    return [/^[A-Za-z]+$/.test(value) ? { ...span, certainty: 'here' } : span]
  })
}

const QUOTE = String.raw`\\{0,16}["']?`
const NAMING = String.raw`(?<![\w.-])(?:name|key|field|header|variable|param|parameter|property)${QUOTE}[ \t]{0,8}[:=][ \t]{0,8}${QUOTE}([A-Za-z_][\w.-]{0,95})${QUOTE}`
const HOLDING = String.raw`(?<![\w.-])(?:value|default|content)${QUOTE}[ \t]{0,8}[:=][ \t]{0,8}`
const VALUE = String.raw`(\\{0,16}"(?:[^"\\\n]|\\.){0,4096}|'[^'\n]{0,4096}|[^ \t\r\n"',;}\]]{1,4096})`
const BETWEEN = String.raw`[ \t\r\n]{0,64},[ \t\r\n]{0,64}${QUOTE}`
const NAME_FIRST = new RegExp(`${NAMING}${BETWEEN}${HOLDING}(?=[^ \\t\\r\\n])`, 'gi')
const VALUE_FIRST = new RegExp(
  `${HOLDING}(?=${VALUE})(?=(?:[^{}\\n]|\\n[ \\t]*["']){1,1024}?,[ \\t\\r\\n]{0,64}${QUOTE}${NAMING})`,
  'gi',
)
/** `variable "password" { default = "x" }`. */
const VARIABLE =
  /\bvariable[ \t]+"([\w.-]{1,96})"[ \t]*\{[^{}]{0,1024}?\bdefault[ \t]*=[ \t]*(?=")/g

/** In `{name: API_TOKEN, value: "x"}` one member names the other, in any text and on one line or on two. */
export function pairsIn(text: string): Span[] {
  const spans: Span[] = []
  for (const shape of [NAME_FIRST, VALUE_FIRST, VARIABLE]) {
    for (const match of text.matchAll(shape)) {
      const name = shape === VALUE_FIRST ? match[2] : match[1]
      if (ruleOfName(name ?? '')?.hides === 'always')
        spans.push(...valueOfPair(text, match.index + match[0].length))
    }
  }
  return spans
}

function valueOfPair(text: string, at: number): readonly Span[] {
  const { start, end, isQuoted } = valueAt(text, at, /[ \t\r\n,;}\]]/, 4096)
  const value = text.slice(start, end)
  return isHarmless(value) || (!isQuoted && /^[[{]/.test(value))
    ? []
    : [namedSpan('secret', start, value)]
}
