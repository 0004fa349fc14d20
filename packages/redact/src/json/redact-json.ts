import { createJsonTokens, JsonTokenKind } from '@svc/json-stream'
import { isSecretName, NAMED, NAMING, type NameRule, ruleOfName } from '../names/secret-names.ts'
import {
  createLineRedactor,
  hiddenValue,
  hidesNumber,
  hidesValue,
  type Redaction,
} from '../redaction/redact-line.ts'
import { isTextOf } from '../text/disguises.ts'

/** Redacts a document that arrives in pieces; returns what is done with the piece. */
export type DocumentRedactor = (piece: string, isLast: boolean) => string

/** An open list or object. Offsets are indexes of held-back pieces; a negative one refers to a piece that was already output. */
interface Level {
  readonly isObject: boolean
  /** Rule that hides all contents of the level. */
  readonly hides: NameRule | null
  first: number
  key: string
  awaitsKey: boolean
  /** Values that a neighbour may name as a secret. */
  values: { readonly at: number; readonly text: string }[]
  isPair: boolean
  /** Bytes of a list that contains only bytes; null for any other level. */
  bytes: number[] | null
  /** Previous text in a list: a flag may name the following value. */
  before: string
  /** Names of an account in our own answers. */
  titles: string[]
  isAccount: boolean
}

const KIND = JsonTokenKind
const WANTED = KIND.open | KIND.close | KIND.comma | KIND.colon | KIND.string | KIND.bare
/** Length limit of a text; a longer one cannot be checked, and is replaced as a whole. */
const STRING_LENGTH_MAX = 1_000_000
/** Maximum number of pieces that are held back until their list or object ends. */
const PIECES_MAX = 20_000
const BYTES_MIN = 5
const BYTES_MAX = 200_000
const DEPTH_MAX = 8

/**
 * Redacts JSON and JSON lines value by value. Everything between values is unchanged, so a copy can be parsed if its original can. Damaged JSON is
 * read as far as possible; reading restarts at a line that begins with an object.
 */
export function createJsonRedactor(redaction: Redaction, depth = 0): DocumentRedactor {
  const tokens = createJsonTokens({ isLoose: true, partLength: STRING_LENGTH_MAX })
  const state: State = { redaction, depth, levels: [], out: [], isLong: false }
  let text = ''
  let base = 0
  let done = 0
  return (piece, isLast) => {
    text += piece
    tokens.give(text, base, isLast)
    for (let kind = tokens.next(WANTED); kind !== 0; kind = tokens.next(WANTED)) {
      const isString = kind === KIND.string
      const start = tokens.start - base
      const end = tokens.end - base
      const gap = text.slice(done - base, isString && !state.isLong ? start - 1 : start)
      state.out.push(gap)
      const quoted = text[start - 1] ?? '"'
      if (isString) takeString(state, text.slice(start, end), tokens.ending, quoted)
      else takeSign(state, kind, text.slice(start, end), /\n$/.test(gap) || start === 0)
      done = base + end + (isString && tokens.ending === 'quote' ? 1 : 0)
    }
    const written = flushed(state, isLast)
    const settled = isLast ? base + text.length : Math.min(tokens.settled, done)
    const rest = isLast ? text.slice(done - base) : ''
    text = text.slice(settled - base)
    base = settled
    return written + rest
  }
}

interface State {
  readonly redaction: Redaction
  readonly depth: number
  readonly levels: Level[]
  out: string[]
  /** True if the open string was too long and has already been replaced. */
  isLong: boolean
}

function takeSign(state: State, kind: number, sign: string, startsLine: boolean): void {
  const { levels, out } = state
  const level = levels.at(-1)
  if (kind === KIND.open) {
    if (startsLine && sign === '{') levels.length = 0
    levels.push(opened(state, sign === '{'))
  }
  if (kind === KIND.comma && level !== undefined) level.awaitsKey = level.isObject
  if (kind === KIND.colon && level !== undefined) level.awaitsKey = false
  if (kind === KIND.bare) takeBare(state, sign)
  else out.push(sign)
  if (kind === KIND.close) closed(state, levels.pop())
}

function opened(state: State, isObject: boolean): Level {
  const parent = state.levels.at(-1)
  const rule = ruleIn(parent)
  if (parent !== undefined) parent.bytes = null
  return {
    isObject,
    // Of an ID token that was read the proxy shows the claims.
    hides: isObject && (rule === 'person' || /^id_?token$/i.test(parent?.key ?? '')) ? null : rule,
    first: state.out.length,
    key: parent?.isObject === false ? parent.key : '',
    awaitsKey: isObject,
    values: [],
    isPair: false,
    bytes: isObject ? null : [],
    before: '',
    titles: [],
    isAccount: false,
  }
}

/** The rule for the next value. */
function ruleIn(level: Level | undefined): NameRule | null {
  if (level === undefined) return null
  if (level.hides === 'secret' || level.hides === 'text') return level.hides
  // A list that a program wrote as an object has numbers for names.
  if (level.isObject && !/^\d+$/.test(level.key)) return ruleOfName(level.key)
  return isSecretName(level.before.replace(/^-+/, '')) ? 'secret' : level.hides
}

/** Handles values that can only be judged at the end of a list or an object. */
function closed({ out, redaction }: State, level: Level | undefined): void {
  if (level === undefined) return
  if (level.isPair)
    for (const { at, text } of level.values)
      if (at >= 0 && hidesValue('secret', text, false))
        out[at] = JSON.stringify(hiddenValue(text, redaction))
  if (level.isAccount) for (const title of level.titles) redaction.collected?.addNamed(title)
  if (level.bytes === null || level.bytes.length < BYTES_MIN || level.first < 0) return
  const text = Buffer.from(level.bytes).toString('utf8')
  if (!isTextOf(level.bytes) && redaction.known.find(text).length === 0) return
  out.length = level.first
  const isNamed = level.hides !== null
  out.push(JSON.stringify(isNamed ? hiddenValue(text, redaction) : redactedText(text, redaction)))
}

function takeBare(state: State, text: string): void {
  const { levels, out, redaction } = state
  const level = levels.at(-1)
  const isNumber = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)
  const rule = level?.awaitsKey ? null : ruleIn(level)
  if (level?.bytes != null) {
    if (/^\d{1,3}$/.test(text) && Number(text) < 256 && level.bytes.length < BYTES_MAX)
      level.bytes.push(Number(text))
    else level.bytes = null
  }
  if (isNumber) {
    const isHidden = hidesNumber(rule, text, redaction) || isIdentifier(text)
    out.push(isHidden ? JSON.stringify(hiddenValue(text, redaction)) : text)
    if (level?.isObject === true && NAMED.test(level.key))
      level.values.push({ at: out.length - 1, text })
  } else out.push(/^(?:true|false|null)$/.test(text) ? text : createLineRedactor(redaction)(text))
}

/** A whole number that is too long for a count and is not a time since 1970. */
function isIdentifier(text: string): boolean {
  return /^-?\d{16,}$/.test(text) && !/^1[4-9]\d{14,17}$/.test(text)
}

function takeString(state: State, raw: string, ending: string, quote: string): void {
  const { levels, out, redaction } = state
  if (ending === 'part' || state.isLong) {
    if (!state.isLong) out.push(`"${hiddenValue(raw, redaction)}`)
    state.isLong = ending === 'part'
    if (!state.isLong) out.push('"')
    return
  }
  const value = decoded(raw, quote)
  const level = levels.at(-1)
  const isKey = level?.awaitsKey === true
  const text = isKey
    ? createLineRedactor(redaction)(value)
    : redactedValue(value, ruleIn(level), redaction, state.depth + 1)
  out.push(
    `${quote}${text === value ? raw : encoded(text, quote)}${ending === 'quote' ? quote : ''}`,
  )
  if (isKey) level.key = value
  else if (level !== undefined) noteNeighbours(level, value, out.length - 1)
}

function noteNeighbours(level: Level, value: string, at: number): void {
  level.before = value
  level.bytes = null
  if (!level.isObject) return
  if (NAMED.test(level.key)) level.values.push({ at, text: value })
  if (NAMING.test(level.key) && isSecretName(value)) level.isPair = true
  if (/^(?:accountKey|authName|auth_index|authIndex)$/.test(level.key)) level.isAccount = true
  if (/^(?:title|label|name|account)$/.test(level.key) && !value.includes('@'))
    level.titles.push(value)
}

function decoded(raw: string, quote: string): string {
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(quote === "'" ? `"${raw.replaceAll('"', '\\"')}"` : `"${raw}"`) as string
  } catch {
    return raw
  }
}

function encoded(text: string, quote: string): string {
  const inner = JSON.stringify(text).slice(1, -1)
  return quote === "'" ? inner.replaceAll("'", '\\u0027') : inner
}

/** Removes and returns the pieces that can no longer change. Returns everything at the end of a document, and also if too much is held back. */
function flushed({ out, levels }: State, isLast: boolean): string {
  if (!isLast && levels.length > 0 && out.length < PIECES_MAX) return ''
  const first = levels.at(-1)?.first ?? 0
  const count =
    isLast || levels.length === 0 || out.length - first > PIECES_MAX / 2 ? out.length : first
  const text = out.slice(0, count).join('')
  out.splice(0, count)
  for (const level of levels) {
    level.first -= count
    level.values = level.values.map(({ at, text: value }) => ({ at: at - count, text: value }))
  }
  return text
}

/** A value as its name wants it, or redacted as any text. */
export function redactedValue(
  text: string,
  rule: NameRule | null,
  redaction: Redaction,
  depth = 0,
): string {
  return hidesValue(rule, text, /^\s*-?\d+(?:\.\d+)?\s*$/.test(text))
    ? hiddenValue(text, redaction)
    : redactedText(text, redaction, depth)
}

/** A text that may be a document itself, or have several lines. */
export function redactedText(text: string, redaction: Redaction, depth = 0): string {
  if (depth < DEPTH_MAX && isJson(text)) {
    const copy = createJsonRedactor(redaction, depth)(text, true)
    // A known value that goes over the border of two values hides them as text does.
    return redaction.known.find(copy).length > 0 ? linesOf(copy, redaction) : copy
  }
  return linesOf(text, redaction)
}

function linesOf(text: string, redaction: Redaction): string {
  const lines = createLineRedactor(redaction)
  return text
    .split(/(\r\n|\n|\r)/)
    .map((line, index) => (index % 2 === 0 ? lines(line) : line))
    .join('')
}

/** True for a text that is a list or an object of JSON. */
export function isJson(text: string): boolean {
  if (!/^\s{0,64}[{[]/.test(text) || !/[}\]]\s{0,64}$/.test(text.slice(-80))) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
