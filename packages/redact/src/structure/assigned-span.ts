import { isHarmless, isPlainValue } from '../names/harmless.ts'
import { looksSecret } from '../names/looks-secret.ts'
import type { NameRule } from '../names/secret-names.ts'
import { readsLikeWords } from '../patterns/tokens.ts'
import type { Span } from '../span.ts'

/** Scheme before a token, which tells its kind. */
export const SCHEME = /^(?:Bearer|Basic|Token|Digest|Negotiate|ApiKey|AWS4-HMAC-SHA256|Key)[ \t]+/i

/** Fewer letters may be an abbreviation. */
const DRAWN_LENGTH_MIN = 8

/** Hides the value of a name, unless its rule lets it stay. `quote`: the quote to add if the value is a number. */
export function spanOf(
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
  // A word in running text is hidden in this place only; elsewhere it may mean nothing.
  const certainty = !isQuoted && isWord(value) && !startsLine(text, start) ? 'here' : 'named'
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

/** True for letters that may be a word: short ones, and those that read like one. */
function isWord(value: string): boolean {
  return (
    /^(?:[A-Za-z]?[a-z]+|[A-Z]+)$/.test(value) &&
    (value.length < DRAWN_LENGTH_MIN || readsLikeWords(value))
  )
}

function startsLine(text: string, start: number): boolean {
  return /(?:^|\n)[ \t<>*-]*[\w."'-]{1,96}[ \t]*[:=][ \t]*$/.test(
    text.slice(Math.max(0, start - 128), start),
  )
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
