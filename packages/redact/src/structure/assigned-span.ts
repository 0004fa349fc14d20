import { isHarmless, isPlainValue } from '../names/harmless.ts'
import { looksSecret } from '../names/looks-secret.ts'
import type { NameRule } from '../names/secret-names.ts'
import type { Span } from '../span.ts'
import { isCode, isType } from './code-values.ts'

/** What stands before a token and says what kind it is. */
export const SCHEME = /^(?:Bearer|Basic|Token|Digest|Negotiate|ApiKey|AWS4-HMAC-SHA256|Key)[ \t]+/i

/** Hides the value of a name, unless its rule lets it stay. `quote` is what its substitute needs where it is a number. */
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
