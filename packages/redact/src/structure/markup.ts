import { isHarmless } from '../names/harmless.ts'
import { looksSecret } from '../names/looks-secret.ts'
import { ALWAYS, type NameRule, ruleOfName } from '../names/secret-names.ts'
import type { Span } from '../span.ts'
import { type Field, namedSpan, trimmedField } from './fields.ts'
import { lineEnd } from './values.ts'

const TAG =
  /<([A-Za-z_][\w:.-]{0,95})((?:[ \t\r\n]{1,64}[\w:.-]{1,96}(?:[ \t\r\n]{0,8}=[ \t\r\n]{0,8}(?:"[^"<]{0,65536}"|'[^'<]{0,65536}'|[^ \t\r\n"'<>]{1,512}))?){0,64})[ \t\r\n]{0,64}(\/?)>/g
const ATTRIBUTE =
  /([\w:.-]{1,96})[ \t\r\n]{0,8}=[ \t\r\n]{0,8}(?:"([^"<]{0,65536})"|'([^'<]{0,65536})'|([^ \t\r\n"'<>]{1,512}))/g
/** Attributes that name what the element, or another attribute of it, holds. */
const NAMING =
  /^(?:name|key|id|property|field|param|type|for|header|variable|autocomplete|itemprop|aria-label|placeholder|data-name)$/i
/** Attributes that hold what the naming one names. */
const HOLDING = /^(?:value|content|data|data-value|default|text|val|password)$/i
/** Elements of HTML that have no closing tag. */
const VOID = /^(?:input|meta|link|img|br|hr|source|embed|area|base|col|wbr)$/i
/** An element that is never closed hides this much. */
const ELEMENT_LENGTH_MAX = 256 * 1024

/** Texts of elements and attributes that are named as secrets, in XML, HTML and property lists. */
export function markupIn(text: string): Span[] {
  const spans: Span[] = []
  if (
    !text.includes('</') &&
    !text.includes('/>') &&
    !/<(?:input|meta|param|add|entry|property)\b/i.test(text)
  )
    return spans
  const unclosed = new Set<string>()
  /** Elements inside of one that is hidden are hidden with it. */
  let coveredTo = 0
  TAG.lastIndex = 0
  for (let match = TAG.exec(text); match !== null; match = TAG.exec(text)) {
    const [whole, name = '', attributes = '', isEmpty] = match
    const behind = match.index + whole.length
    const rule = nameRule(name)
    const fields = attributesIn(attributes, match.index + 1 + name.length)
    const named = ruleOfAttributes(fields)
    const held =
      named === null
        ? []
        : fields
            .filter((field) => HOLDING.test(field.name))
            .flatMap(({ start, end }) => span(text, start, end, named))
    spans.push(...held)
    // An element that holds its value in an attribute needs no closing tag, and often has none.
    if (
      isEmpty === '/' ||
      VOID.test(name) ||
      (held.length > 0 && rule === null) ||
      behind < coveredTo
    )
      continue
    const inside = rule ?? named
    if (isNamingElement(text, behind, name)) spans.push(...siblingOf(text, behind, name, unclosed))
    else if (inside !== null) {
      const end = elementEnd(text, behind, name, unclosed)
      spans.push(...textsOf(text, behind, end, inside))
      coveredTo = end
    }
  }
  return spans
}

function nameRule(name: string): NameRule | null {
  const rule = ruleOfName(name.replace(/^[\w-]*:/, ''))
  return rule?.hides === 'text' ? null : rule
}

interface Attribute extends Field {
  readonly name: string
}

function attributesIn(attributes: string, at: number): readonly Attribute[] {
  return [...attributes.matchAll(ATTRIBUTE)].map(
    ({ 0: whole, 1: name = '', 2: double, 3: single, 4: bare, index }) => {
      const value = double ?? single ?? bare ?? ''
      const end = at + index + whole.length - (bare === undefined ? 1 : 0)
      return { name, start: end - value.length, end, value }
    },
  )
}

function ruleOfAttributes(attributes: readonly Attribute[]): NameRule | null {
  const rules = attributes
    .filter(({ name }) => NAMING.test(name))
    .map(({ value }) => ruleOfName(value))
  return rules.find((rule) => rule?.hides === 'always') ?? null
}

/** The closing tag. HTML leaves elements open, and a log quotes a tag: then the end of the line, as far as an element may go. */
function elementEnd(text: string, at: number, name: string, unclosed: Set<string>): number {
  const limit = Math.min(text.length, at + ELEMENT_LENGTH_MAX)
  const closing = unclosed.has(name) ? -1 : text.indexOf(`</${name}`, at)
  if (closing < 0) unclosed.add(name)
  if (closing >= 0 && closing < limit) return closing
  return Math.min(limit, lineEnd(text, at))
}

function textsOf(text: string, at: number, end: number, rule: NameRule): readonly Span[] {
  const spans: Span[] = []
  let from = at
  for (const tag of text.slice(at, end).matchAll(/<[/A-Za-z][^<>]{0,4096}>/g)) {
    spans.push(...span(text, from, at + tag.index, rule))
    from = at + tag.index + tag[0].length
  }
  spans.push(...span(text, from, end, rule))
  return spans
}

/** `<key>Password</key>`, `<name>api.token</name>`: what follows is its value. */
function isNamingElement(text: string, at: number, name: string): boolean {
  if (!/^(?:key|name|property|field|param|header|string|th|dt|label|td)$/i.test(name)) return false
  const content = /^[ \t\r\n]{0,64}([\w.: -]{1,96}?)[ \t\r\n]{0,64}<\//.exec(
    text.slice(at, at + 256),
  )?.[1]
  return content !== undefined && ruleOfName(content)?.hides === 'always'
}

function siblingOf(text: string, at: number, name: string, unclosed: Set<string>): readonly Span[] {
  const sibling = new RegExp(
    String.raw`^[^<]{0,256}</${name}[ \t\r\n]*>[ \t\r\n]{0,256}<([A-Za-z_][\w:.-]{0,95})[^<>]{0,512}>`,
    'i',
  ).exec(text.slice(at, at + 1536))
  if (sibling === null) return []
  const begin = at + sibling[0].length
  return textsOf(text, begin, elementEnd(text, begin, sibling[1] ?? '', unclosed), ALWAYS)
}

function span(text: string, from: number, to: number, rule: NameRule): readonly Span[] {
  const { start, value } = trimmedField(text, from, to, /\s/)
  if (isHarmless(value) || (rule.hides === 'likely' && !looksSecret(value))) return []
  return [namedSpan(rule.kind, start, value)]
}
