import { isHarmless } from '../names/harmless.ts'
import { looksSecret } from '../names/looks-secret.ts'
import { type NameRule, ruleOfName } from '../names/secret-names.ts'
import { readsLikeWords } from '../patterns/tokens.ts'
import type { Span } from '../span.ts'
import { bareEnd } from './bare-end.ts'
import { hidesField } from './field.ts'
import { createOwnRows } from './own-rows.ts'
import type { Scanner, Token } from './scanner.ts'

/** Deeper levels are counted, but not remembered one by one. */
const LEVELS_MAX = 1000
/** A longer string is hidden or left by its name alone, bit by bit. */
const STRING_LENGTH_MAX = 256 * 1024
const NAME_LENGTH_MAX = 256
const ALWAYS: NameRule = { kind: 'secret', hides: 'always' }

/** What JSON writes without quotes. */
const BARE = /^(?:-?\d[\d.eE+-]*|true|false|null)$/
/** A shorter number is not a secret. */
const NUMBER_LENGTH_MIN = 6

export interface JsonReading {
  /** What a string itself holds, in offsets of the string. */
  readonly insideString: (raw: string) => readonly Span[]
  /** True for a number that is known to be a secret. */
  readonly isKnown: (value: string) => boolean
}

interface Level {
  /** Hides everything inside. */
  readonly rule: NameRule | null
  readonly isList: boolean
  name: string
  /** Rule of the name of the member under way. */
  nameRule: NameRule | null
  /** How many elements there were, and the text of the one before. */
  count: number
  previous: string
  /** In `{"name": "API_KEY", "value": "x"}` the one member names the other, in any order. */
  named: NameRule | null
  values: Span[]
}

const NAMING = /^(?:name|key|id|field|header|variable|param|parameter|property|k|n)$/i
const HOLDING =
  /^(?:value|values|default|content|data|text|string|v|stringvalue|valuestring|initialvalue)$/i
/** Lists and objects of the parameters of a URL, where a common name holds a key as well. */
const QUERY = /^(?:query(?:_?string|_?params|_?parameters)?|search_?params)$/i
const CREDENTIAL_FLAG = /^(?:-u|--user|-U|--proxy-user|-b|--cookie)$/

/**
 * Reads JSON, and JSON documents one after the other, token by token. A string followed by a colon is a name, so that a document that was cut off or
 * damaged does not turn names into values. From damage on until a document begins anew, everything that may be a secret is hidden.
 */
export function createJsonScanner({ insideString, isKnown }: JsonReading): Scanner {
  const levels: Level[] = []
  const rows = createOwnRows()
  let tokens: Token[] = []
  let soundTo = Number.POSITIVE_INFINITY
  let deep = 0
  /** The depth at which a name of a secret stood, among the levels that are only counted. */
  let deepSecret: number | null = null
  let isLost = false
  /** Documents one a line: each line begins anew. */
  let isLines: boolean | null = null
  let settled = 0
  let long: { readonly quote: string; readonly rule: NameRule | null } | null = null
  let deepName: NameRule | null = null

  const top = (): Level | undefined => (deep > 0 ? undefined : levels.at(-1))
  const reset = () => {
    levels.length = 0
    deep = 0
    deepSecret = null
    isLost = false
  }
  const ruleHere = (): NameRule | null => {
    if (deep > 0) return deepSecret === null ? deepName : ALWAYS
    const level = levels.at(-1)
    return level === undefined ? null : (level.rule ?? level.nameRule)
  }
  const open = (isList: boolean) => {
    const rule = ruleHere()
    const inherits =
      rule !== null && (rule.hides === 'always' || (isList && rule.hides !== 'likely'))
        ? rule
        : null
    if (deep > 0 || levels.length === LEVELS_MAX) {
      deep += 1
      if (deepSecret === null && inherits !== null) deepSecret = deep
      deepName = null
      return
    }
    rows.open(levels.at(-1)?.name ?? '', isList, levels.length)
    levels.push({
      rule: inherits,
      isList,
      name: '',
      nameRule: null,
      count: 0,
      previous: '',
      named: null,
      values: [],
    })
  }
  const close = (isList: boolean) => {
    if (deep > 0) {
      if (deepSecret === deep) deepSecret = null
      deep -= 1
      deepName = null
      return
    }
    const level = levels.pop()
    if (level === undefined || level.isList !== isList) isLost = true
    rows.close(levels.length)
    const parent = levels.at(-1)
    if (parent !== undefined) parent.previous = ''
  }
  const takeName = (spans: Span[], start: number, end: number, name: string) => {
    const level = top()
    const rule = ruleOfName(name.slice(0, NAME_LENGTH_MAX))
    if (level === undefined) deepName = rule
    else {
      // Names inside of a secret are kept where they are words; a list of keys may be written as an object.
      if (
        level.rule !== null &&
        level.rule.hides === 'always' &&
        !/^[A-Za-z_][A-Za-z_ .-]{0,31}$/.test(name) &&
        !isHarmless(name)
      )
        spans.push(spanOf(level.rule, start, end, name))
      level.name = name.slice(0, NAME_LENGTH_MAX)
      level.nameRule = rule
    }
  }
  /** A value, its quotes left out. */
  const takeValue = (spans: Span[], start: number, end: number, value: string, isText: boolean) => {
    const level = top()
    const quote = isText ? undefined : '"'
    const rule = ruleHere()
    let hidden: NameRule | null = rule !== null && hidesField(rule, value, isText) ? rule : null
    if (level !== undefined) {
      const own = rows.ruleOf(level.count, value)
      if (own !== null && !isHarmless(value)) hidden = own
      if (hidden === null && isText && (level.isList || /^\d{1,9}$/.test(level.name)))
        hidden = ruleInList(level, value)
      const isQuery = !level.isList && QUERY.test(levels.at(-3)?.name ?? '')
      if (!level.isList && isText) noteMember(level, spans, start, end, value, isQuery)
      if (
        hidden === null &&
        rule?.hides === 'likely' &&
        QUERY.test(levels.at(-2)?.name ?? '') &&
        !isHarmless(value)
      )
        hidden = ALWAYS
      if (HOLDING.test(level.name) && level.named !== null && !isHarmless(value))
        hidden = level.named
      level.previous = isText ? value.slice(0, NAME_LENGTH_MAX) : ''
      level.count += 1
      if (level.isList) level.nameRule = null
    }
    if (hidden === null && isLost && isText && looksSecret(value)) hidden = ALWAYS
    if (hidden === null && !isText && value.length >= NUMBER_LENGTH_MIN && isKnown(value))
      hidden = ALWAYS
    if (hidden === null) return
    // A word beside the secret of an object, or in a list of names, means nothing elsewhere.
    const isOwn =
      level === undefined ||
      hidden === level.named ||
      (level.isList ? rule !== null : level.nameRule === hidden)
    const isAside = !isOwn && /^[A-Za-z][A-Za-z_-]{0,31}$/.test(value) && readsLikeWords(value)
    const span = spanOf(hidden, start, end, value, quote)
    spans.push(isAside ? { ...span, certainty: 'here' } : span)
  }

  return {
    get settled() {
      return settled
    },
    get soundTo() {
      return soundTo
    },
    takeTokens() {
      const taken = tokens
      tokens = []
      return taken
    },
    scan(text, base, isLast) {
      const spans: Span[] = []
      let at = settled - base
      const length = text.length
      while (at < length) {
        const code = text.charCodeAt(at)
        if (long !== null || code === 0x22 || code === 0x27) {
          const string = stringAt(text, at, isLast)
          if (string === null) break
          at = string.next
          if (string.start >= string.end && string.end >= string.next) continue
          finishString(spans, text, base, string)
          continue
        }
        if (code === 0x7b || code === 0x5b) open(code === 0x5b)
        else if (code === 0x7d || code === 0x5d) close(code === 0x5d)
        else if (code === 0x0a) {
          isLines ??= deep === 0 && levels.length === 0 ? true : null
          const next = text.charCodeAt(at + 1)
          if ((isLost || isLines === true) && (next === 0x7b || next === 0x5b)) reset()
          else if (isLines === null && levels.length > 0) isLines = false
        } else if (code === 0x2c || code === 0x3a || code <= 0x20) {
          if (code === 0x2c) endMember()
        } else {
          const end = bareEnd(text, at)
          if (end === length && !isLast && end - at < STRING_LENGTH_MAX) break
          takeBare(spans, text, base, at, end)
          at = end
          continue
        }
        at += 1
      }
      settled = base + at
      return spans
    },
  }

  function damagedAt(offset: number): void {
    soundTo = Math.min(soundTo, offset)
  }

  function endMember(): void {
    const level = top()
    if (level === undefined) deepName = null
    else if (!level.isList) {
      level.nameRule = null
      level.name = ''
    }
  }

  function finishString(spans: Span[], text: string, base: number, string: JsonString): void {
    const raw = text.slice(string.start, string.end)
    if (string.quote !== '"' || (!string.isClosed && !string.isPart)) damagedAt(base + string.start)
    tokens.push({ start: base + string.start, end: base + string.end, isText: true })
    if (string.isPart) {
      const rule = long === null ? null : long.rule
      if (rule !== null && raw !== '')
        spans.push(spanOf(rule, base + string.start, base + string.end, raw))
      if (string.isClosed) long = null
      return
    }
    const value = decoded(raw, string.quote)
    if (string.isName) takeName(spans, base + string.start, base + string.end, value)
    else takeValue(spans, base + string.start, base + string.end, value, true)
    if (!string.isClosed) isLost = true
    for (const span of insideString(raw))
      spans.push({
        ...span,
        start: base + string.start + span.start,
        end: base + string.start + span.end,
      })
  }

  function takeBare(spans: Span[], text: string, base: number, at: number, end: number): void {
    const value = text.slice(at, end)
    if (BARE.test(value)) tokens.push({ start: base + at, end: base + end, isText: false })
    else damagedAt(base + at)
    if (value.startsWith('//') || value.startsWith('/*') || value.startsWith('#')) return
    const isName = /^[ \t]{0,8}:/.test(text.slice(end, end + 9))
    if (isName && /^[A-Za-z_$]/.test(value)) takeName(spans, base + at, base + end, value)
    else
      takeValue(
        spans,
        base + at,
        base + end,
        value,
        !/^(?:-?[\d.][\d.eE+-]*|true|false|null|NaN)$/.test(value),
      )
  }

  /** The string at this place, or the next part of a long one; null when its end has not been seen yet. */
  function stringAt(text: string, at: number, isLast: boolean): JsonString | null {
    const quote = long?.quote ?? text[at] ?? '"'
    const start = long === null ? at + 1 : at
    const limit = text.length
    for (let index = start; index < limit; index += 1) {
      const code = text.charCodeAt(index)
      if (code === 0x5c) index += 1
      else if (code === quote.charCodeAt(0) || code === 0x0a) {
        const isClosed = code !== 0x0a
        const next = isClosed ? index + 1 : index
        if (long !== null)
          return { start, end: index, next, quote, isName: false, isClosed: true, isPart: true }
        const after = isName(text, next)
        // Whether it is a name is seen only with what follows.
        if (after === null && !isLast) return null
        return {
          start,
          end: isClosed ? index : withoutReturn(text, index),
          next,
          quote,
          isName: isClosed && after === true,
          isClosed,
          isPart: false,
        }
      }
    }
    if (isLast)
      return {
        start,
        end: limit,
        next: limit,
        quote,
        isName: false,
        isClosed: false,
        isPart: long !== null,
      }
    if (limit - start < STRING_LENGTH_MAX) return null
    // A backslash at the end belongs to what follows.
    const end = limit - (/\\*$/.exec(text.slice(-64))?.[0].length ?? 0)
    long ??= { quote, rule: longRule() }
    return { start, end, next: end, quote, isName: false, isClosed: false, isPart: true }
  }

  function longRule(): NameRule | null {
    const rule = ruleHere()
    return isLost || rule?.hides === 'always' || rule?.hides === 'text' || rule?.hides === 'field'
      ? (rule ?? ALWAYS)
      : null
  }
}

interface JsonString {
  readonly start: number
  readonly end: number
  readonly next: number
  readonly quote: string
  readonly isName: boolean
  /** False for one that ends with its line or with the text. */
  readonly isClosed: boolean
  /** Part of one that is too long to be held. */
  readonly isPart: boolean
}

function isName(text: string, at: number): boolean | null {
  for (let index = at; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 0x3a) return true
    if (code > 0x20 || index - at > 4096) return false
  }
  return null
}

function withoutReturn(text: string, end: number): number {
  return text.charCodeAt(end - 1) === 0x0d ? end - 1 : end
}

function decoded(raw: string, quote: string): string {
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

/** A value behind a flag in a list of arguments, or behind a name in a list of names and values. */
function ruleInList(level: Level, value: string): NameRule | null {
  const { previous } = level
  if (previous === '' || isHarmless(value)) return null
  if (CREDENTIAL_FLAG.test(previous)) return /[:=]/.test(value) ? ALWAYS : null
  if (/^-{1,2}[A-Za-z]/.test(previous))
    return ruleOfName(previous)?.hides === 'always' && !value.startsWith('-') ? ALWAYS : null
  return level.count % 2 === 1 &&
    /^[\w.-]+$/.test(previous) &&
    ruleOfName(previous)?.hides === 'always'
    ? ALWAYS
    : null
}

function noteMember(
  level: Level,
  spans: Span[],
  start: number,
  end: number,
  value: string,
  isQuery: boolean,
): void {
  if (NAMING.test(level.name)) {
    const rule = ruleOfName(value)
    if (
      rule !== null &&
      (rule.hides === 'always' || rule.hides === 'text' || (isQuery && rule.hides === 'likely'))
    ) {
      level.named = rule
      spans.push(...level.values)
      level.values = []
    }
  } else if (HOLDING.test(level.name) && !isHarmless(value) && level.values.length < 64)
    level.values.push(spanOf(ALWAYS, start, end, value))
}

function spanOf(rule: NameRule, start: number, end: number, value: string, quote?: string): Span {
  const isEmail = /^[^ \t\r\n@]{1,128}@[^ \t\r\n@]{1,255}$/.test(value)
  return {
    start,
    end,
    kind: isEmail ? 'email' : rule.kind,
    value,
    certainty: 'named',
    ...(quote === undefined ? {} : { quote }),
  }
}
