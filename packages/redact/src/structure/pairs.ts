import { isHarmless } from '../names/harmless.ts'
import { ruleOfName } from '../names/secret-names.ts'
import type { Span } from '../span.ts'
import { quoteAt, quotedValue } from './value-end.ts'

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
        spans.push(...valueAt(text, match.index + match[0].length))
    }
  }
  return spans
}

function valueAt(text: string, at: number): readonly Span[] {
  const quote = quoteAt(text, at)
  const length =
    /[ \t\r\n,;}\]]/.exec(text.slice(at, at + 4096))?.index ?? Math.min(4096, text.length - at)
  const { start, end } =
    quote === null ? { start: at, end: at + length } : quotedValue(text, at, quote)
  const value = text.slice(start, end)
  return isHarmless(value) || (quote === null && /^[[{]/.test(value))
    ? []
    : [{ start, end, kind: 'secret', value, certainty: 'named' }]
}
