import { createJsonTokens, JsonTokenKind, type JsonTokens } from '@svc/json-stream'
import { ALWAYS, type NameRule } from '../names/secret-names.ts'
import type { Span } from '../span.ts'
import { fieldSpan } from './fields.ts'
import { createJsonFields, type JsonFields, type JsonLevels } from './json-fields.ts'

import type { Scanner, Token } from './scanner.ts'

/** Longer strings are hidden or kept by their name alone, piece by piece. */
const PART_LENGTH = 256 * 1024
/** Longest distance of a colon that makes the string before it a name. */
const COLON_WITHIN = 4096

const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
/** JSON values without quotes. */
const BARE = /^(?:-?\d[\d.eE+-]*|true|false|null)$/
const COMMENT = /^(?:\/\/|\/\*|#)/
const NAME_START = /^[A-Za-z_$]/
const COLON = /^[ \t]{0,8}:/
const NO_TEXT = /^(?:-?[\d.][\d.eE+-]*|true|false|null|NaN)$/

export interface JsonReading {
  /** Stretches inside a string, in offsets of the string. */
  readonly insideString: (raw: string) => readonly Span[]
  /** True for a number that is known to be a secret. */
  readonly isKnown: (value: string) => boolean
}

const KIND = JsonTokenKind
const WANTED = KIND.open | KIND.close | KIND.comma | KIND.line | KIND.string | KIND.bare

/**
 * Reads JSON, and JSON documents in sequence, token by token. A string followed by a colon is a name, so that a truncated or damaged document does
 * not turn names into values. From damage on until a new document begins, everything that may be a secret is hidden.
 */
export function createJsonScanner({ insideString, isKnown }: JsonReading): Scanner {
  const jsonTokens = createJsonTokens({ isLoose: true, partLength: PART_LENGTH })
  const fields = createJsonFields(isKnown)
  const { levels } = fields
  const found: Found = { spans: [], tokens: [], soundTo: Number.POSITIVE_INFINITY }
  const takeString = createStringTaker(fields, insideString, found)
  const takeLineEnd = createLineTaker(levels)
  /** Kind of a token whose end was seen, but not the text after it; 0 for none. */
  let waiting = 0

  const takeBare = (start: number, end: number, text: string, base: number) => {
    const field = { start, end, value: text.slice(Math.max(0, start - base), end - base) }
    const isSound = BARE.test(field.value)
    if (isSound) found.tokens.push({ start, end, isText: false })
    else found.soundTo = Math.min(found.soundTo, start)
    if (!isSound && COMMENT.test(field.value)) return
    const mayBeName = NAME_START.test(field.value)
    if (mayBeName && COLON.test(text.slice(end - base, end - base + 9)))
      fields.takeName(field, found.spans)
    else fields.takeValue(field, !isSound && !NO_TEXT.test(field.value), found.spans)
  }
  /** False if the text after the token must be seen first. */
  const take = (kind: number, text: string, base: number, isLast: boolean): boolean => {
    const { start, end } = jsonTokens
    if (kind === KIND.string) {
      const { ending } = jsonTokens
      const isName = ending === 'quote' ? colonFollows(text, end - base + 1) : false
      if (isName === null && !isLast) return false
      takeString(start, end, ending, isName === true, text, base)
    } else if (kind === KIND.bare) takeBare(start, end, text, base)
    else if (kind === KIND.comma) levels.endMember()
    else if (kind === KIND.line) {
      if (end - base === text.length && !isLast) return false
      takeLineEnd(text.charCodeAt(end - base))
    } else if (kind === KIND.open) levels.open(text.charCodeAt(start - base) === OPEN_LIST)
    else levels.close(text.charCodeAt(start - base) === CLOSE_LIST)
    return true
  }

  return {
    get settled() {
      if (waiting === 0) return jsonTokens.settled
      return waiting === KIND.string ? jsonTokens.start - 1 : jsonTokens.start
    },
    get soundTo() {
      return found.soundTo
    },
    takeTokens() {
      const taken = found.tokens
      found.tokens = []
      return taken
    },
    scan(text, base, isLast) {
      jsonTokens.give(text, base, isLast)
      let kind = waiting === 0 ? jsonTokens.next(WANTED) : waiting
      while (kind !== 0 && take(kind, text, base, isLast)) kind = jsonTokens.next(WANTED)
      waiting = kind
      const { spans } = found
      found.spans = []
      return spans
    },
  }
}

/** Results since they were last taken. */
interface Found {
  spans: Span[]
  tokens: Token[]
  soundTo: number
}

/** Starts anew on each line if every line is a document. Takes the character after each line feed. */
function createLineTaker(levels: JsonLevels): (next: number) => void {
  let isLines: boolean | null = null
  return (next) => {
    isLines ??= levels.count === 0 ? true : null
    if ((levels.isLost || isLines === true) && (next === OPEN_OBJECT || next === OPEN_LIST))
      levels.reset()
    else if (isLines === null && levels.count > 0) isLines = false
  }
}

type TakeString = (
  start: number,
  end: number,
  ending: JsonTokens['ending'],
  isName: boolean,
  text: string,
  base: number,
) => void

function createStringTaker(
  fields: JsonFields,
  insideString: JsonReading['insideString'],
  found: Found,
): TakeString {
  const { levels } = fields
  /** A string too long to be held, and the rule that hides all of it. */
  let long: { readonly rule: NameRule | null } | null = null

  const ruleOfLong = (): NameRule | null => {
    const rule = levels.ruleHere()
    if (levels.isLost) return rule ?? ALWAYS
    return rule?.hides === 'likely' ? null : rule
  }

  const takePart = (start: number, end: number, isOpen: boolean, raw: string) => {
    const rule = long?.rule ?? null
    if (rule !== null && raw !== '') found.spans.push(fieldSpan(rule, { start, end, value: raw }))
    if (!isOpen) long = null
  }

  return (start, tokenEnd, ending, isName, text, base) => {
    // A quote at the end of its line does not open a string.
    if (long === null && tokenEnd === start && ending !== 'quote') return
    const quote = text[start - base - 1] ?? '"'
    const isClosed = ending === 'quote'
    if (long === null && (quote !== '"' || !(isClosed || ending === 'part')))
      found.soundTo = Math.min(found.soundTo, start)
    if (ending === 'part') long ??= { rule: ruleOfLong() }
    const isBeforeReturn = ending === 'line' && text.charCodeAt(tokenEnd - base - 1) === 0x0d
    const end = long === null && isBeforeReturn ? tokenEnd - 1 : tokenEnd
    const raw = text.slice(Math.max(0, start - base), end - base)
    found.tokens.push({ start, end, isText: true })
    if (long !== null) return takePart(start, end, ending === 'part', raw)
    const field = { start, end, value: decode(raw, quote) }
    if (isName) fields.takeName(field, found.spans)
    else fields.takeValue(field, true, found.spans)
    if (!isClosed) levels.isLost = true
    for (const span of insideString(raw))
      found.spans.push({ ...span, start: start + span.start, end: start + span.end })
  }
}

/** True if a colon is the next character; null if that cannot be seen yet. */
function colonFollows(text: string, at: number): boolean | null {
  for (let index = at; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 0x3a) return true
    if (code > 0x20 || index - at > COLON_WITHIN) return false
  }
  return null
}

function decode(raw: string, quote: string): string {
  if (!raw.includes('\\')) return raw
  try {
    const text = JSON.parse(
      `"${Buffer.from(quote === "'" ? raw.replaceAll('"', '\\"') : raw, 'latin1').toString('utf8')}"`,
    ) as string
    return Buffer.from(text, 'utf8').toString('latin1')
  } catch {
    return raw
  }
}
