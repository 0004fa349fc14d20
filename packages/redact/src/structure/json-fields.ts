import { isHarmless, isOption } from '../names/harmless.ts'
import { looksSecret } from '../names/looks-secret.ts'
import { ALWAYS, CHOSEN_NAME, type NameRule, ruleOfName } from '../names/secret-names.ts'
import { readsLikeWords } from '../patterns/tokens.ts'
import type { Span } from '../span.ts'
import { type Field, fieldSpan, hidesField } from './fields.ts'

/** Deeper levels are counted, but not remembered one by one. */
const LEVELS_MAX = 1000

/** An open list or object. */
export interface Level {
  /** Rule for everything inside; null if there is none. */
  readonly rule: NameRule | null
  readonly isList: boolean
  name: string
  /** Rule for the name of the current member. */
  nameRule: NameRule | null
  /** Number of elements so far, and the text of the first and of the previous one. */
  count: number
  first: string
  previous: string
  /** In `{"name": "API_KEY", "value": "x"}` one member names the other, in either order. */
  named: NameRule | null
  values: Span[]
  /** Members that hold a name a person chose, as members before them say; null if there are none. */
  chosen: ReadonlySet<string> | null
}

/** Open lists and objects around a place in JSON, and the rule they apply there. */
export interface JsonLevels {
  /** The innermost level; undefined outside of all, and at depths that are only counted. */
  readonly top: Level | undefined
  /** Number of remembered levels. */
  readonly count: number
  /** True from damage on until a new document begins: brackets cannot be trusted. */
  isLost: boolean
  /** The level this many steps above the innermost. */
  above(steps: number): Level | undefined
  open(isList: boolean): void
  close(isList: boolean): void
  /** A member of this name begins. */
  beginMember(name: string, rule: NameRule | null): void
  /** A comma was read. */
  endMember(): void
  /** The rule for a value in this place, from the names around it. */
  ruleHere(): NameRule | null
  /** Starts a new document. */
  reset(): void
}

export function createJsonLevels(): JsonLevels {
  const levels: Level[] = []
  /** Number of levels below the remembered ones, the one from which everything is hidden, and the rule of a member there. */
  let deep = 0
  let secretFrom: number | null = null
  let deepRule: NameRule | null = null

  const self: JsonLevels = {
    isLost: false,
    get top() {
      return deep > 0 ? undefined : levels.at(-1)
    },
    get count() {
      return levels.length
    },
    above: (steps) => levels.at(-1 - steps),
    ruleHere() {
      if (deep > 0) return secretFrom === null ? deepRule : ALWAYS
      const level = levels.at(-1)
      return level === undefined ? null : (level.rule ?? level.nameRule)
    },
    open(isList) {
      const rule = inherit(self.ruleHere(), isList)
      if (levels.length < LEVELS_MAX) {
        const names = { name: '', nameRule: null, named: null }
        levels.push({
          rule,
          isList,
          ...names,
          count: 0,
          first: '',
          previous: '',
          values: [],
          chosen: null,
        })
        return
      }
      deep += 1
      if (rule !== null) secretFrom ??= deep
      deepRule = null
    },
    close(isList) {
      if (deep > 0) {
        if (secretFrom === deep) secretFrom = null
        deep -= 1
        deepRule = null
        return
      }
      if (levels.pop()?.isList !== isList) self.isLost = true
      const parent = levels.at(-1)
      if (parent !== undefined) parent.previous = ''
    },
    beginMember(name, rule) {
      const level = self.top
      if (level === undefined) deepRule = rule
      else {
        level.name = name
        level.nameRule = rule
      }
    },
    endMember() {
      if (self.top?.isList !== true) self.beginMember('', null)
    },
    reset() {
      levels.length = 0
      deep = 0
      secretFrom = null
      self.isLost = false
    },
  }
  return self
}

/** The part of a rule that applies to everything inside a list or object. */
function inherit(rule: NameRule | null, isList: boolean): NameRule | null {
  if (rule === null) return null
  return rule.hides === 'always' || (isList && rule.hides !== 'likely') ? rule : null
}

const NAME_LENGTH_MAX = 256
/** A shorter number is not a secret. */
const NUMBER_LENGTH_MIN = 6

const NAMING = /^(?:name|key|id|field|header|variable|param|parameter|property|k|n)$/i
const HOLDING =
  /^(?:value|values|default|content|data|text|string|v|stringvalue|valuestring|initialvalue)$/i
/** Lists and objects of the parameters of a URL, where a common name holds a key as well. */
const QUERY = /^(?:query(?:_?string|_?params|_?parameters)?|search_?params)$/i
const CREDENTIAL_FLAG = /^(?:-u|--user|-U|--proxy-user|-b|--cookie)$/
/** Names inside of a secret are kept where they are words; a list of keys may be written as an object. */
const WORDS = /^[A-Za-z_][A-Za-z_ .-]{0,31}$/

const OF_A_LOGIN: ReadonlySet<string> = new Set(['note', 'label'])
const OF_AN_ACCOUNT: ReadonlySet<string> = new Set(['title'])
/** Names that a person chose, by a member before them: in auth files and lists of these, and in our own answers. Their members are common words. */
const CHOSEN_BESIDE: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...['auth_index', 'access_token', 'account_type'].map((name) => [name, OF_A_LOGIN] as const),
  ...['selector', 'accountKey'].map((name) => [name, OF_AN_ACCOUNT] as const),
])

/** Decides which names and values of JSON are hidden, by the names around them. */
export interface JsonFields {
  readonly levels: JsonLevels
  /** A member of this name begins. Hides the name itself, where it may be a secret. */
  takeName(field: Field, spans: Span[]): void
  /** Hides the value and values before it that it names, where they are secrets. `isText` is false for numbers and literals. */
  takeValue(field: Field, isText: boolean, spans: Span[]): void
}

/** `isKnown` is true for a number that is known to be a secret. */
export function createJsonFields(isKnown: (value: string) => boolean): JsonFields {
  const levels = createJsonLevels()

  /** The rule of a value in a list or object, where `byName` hides it otherwise; values that it names are added to `spans`. */
  const ruleInLevel = (
    level: Level,
    rule: NameRule | null,
    byName: NameRule | null,
    field: Field,
    isText: boolean,
    spans: Span[],
  ): NameRule | null => {
    const { value } = field
    if (level.count === 0) level.first = value
    const own = ruleInRow(levels, level)
    let hidden = own !== null && !isHarmless(value) ? own : byName
    if (hidden === null && isText && (level.isList || isIndex(level.name)))
      hidden = ruleInList(level, value)
    if (!level.isList && isText)
      noteMember(level, field, () => QUERY.test(levels.above(2)?.name ?? ''), spans)
    if (
      hidden === null &&
      rule?.hides === 'likely' &&
      QUERY.test(levels.above(1)?.name ?? '') &&
      !isHarmless(value)
    )
      hidden = ALWAYS
    if (level.named !== null && HOLDING.test(level.name) && !isHarmless(value)) hidden = level.named
    level.previous = isText ? value.slice(0, NAME_LENGTH_MAX) : ''
    level.count += 1
    if (level.isList) level.nameRule = null
    return hidden
  }

  return {
    levels,
    takeName(field, spans) {
      const { value } = field
      const { top } = levels
      const name = value.slice(0, NAME_LENGTH_MAX)
      const isChosen = top?.chosen?.has(name) === true
      levels.beginMember(name, ruleOfName(name) ?? (isChosen ? CHOSEN_NAME : null))
      if (top !== undefined) top.chosen ??= CHOSEN_BESIDE.get(name) ?? null
      const around = top?.rule ?? null
      if (around?.hides === 'always' && !WORDS.test(value) && !isHarmless(value))
        spans.push(fieldSpan(around, field))
    },
    takeValue(field, isText, spans) {
      const { value } = field
      const level = levels.top
      const rule = levels.ruleHere()
      let hidden = rule !== null && hidesField(rule, value, isText) ? rule : null
      if (level !== undefined) hidden = ruleInLevel(level, rule, hidden, field, isText, spans)
      if (hidden === null && levels.isLost && isText && looksSecret(value)) hidden = ALWAYS
      if (hidden === null && !isText && value.length >= NUMBER_LENGTH_MIN && isKnown(value))
        hidden = ALWAYS
      if (hidden === null) return
      // A word beside the secret of an object, or in a list of names, means nothing elsewhere.
      const isOwn =
        level === undefined ||
        hidden === level.named ||
        (level.isList ? rule !== null : level.nameRule === hidden)
      const isAside = !isOwn && /^[A-Za-z][A-Za-z_-]{0,31}$/.test(value) && readsLikeWords(value)
      const span = fieldSpan(hidden, field, isText ? undefined : '"')
      spans.push(isAside ? { ...span, certainty: 'here' } : span)
    },
  }
}

/** A list may be written as an object, with numbers for names. */
function isIndex(name: string): boolean {
  return name.charCodeAt(0) <= 0x39 && /^\d{1,9}$/.test(name)
}

/** A value behind a flag in a list of arguments, or behind a name in a list of names and values. */
function ruleInList(level: Level, value: string): NameRule | null {
  const { previous } = level
  if (previous === '' || isHarmless(value)) return null
  if (CREDENTIAL_FLAG.test(previous)) return /[:=]/.test(value) ? ALWAYS : null
  if (/^-{1,2}[A-Za-z]/.test(previous))
    return ruleOfName(previous)?.hides === 'always' && !isOption(value) ? ALWAYS : null
  return level.count % 2 === 1 &&
    /^[\w.-]+$/.test(previous) &&
    ruleOfName(previous)?.hides === 'always'
    ? ALWAYS
    : null
}

/** Remembers a member that names another or may be named; hides the values before it that it names. */
function noteMember(level: Level, field: Field, isQuery: () => boolean, spans: Span[]): void {
  const { value } = field
  if (NAMING.test(level.name)) {
    const rule = ruleOfName(value)
    if (
      rule !== null &&
      (rule.hides === 'always' || rule.hides === 'text' || (rule.hides === 'likely' && isQuery()))
    ) {
      level.named = rule
      spans.push(...level.values)
      level.values = []
    }
  } else if (HOLDING.test(level.name) && !isHarmless(value) && level.values.length < 64)
    level.values.push(fieldSpan(ALWAYS, field))
}

/** Rows of a backup are lists without names: which element of which table is a secret or names a person. */
const ROWS: Readonly<Record<string, Readonly<Record<number, NameRule>>>> = {
  accounts: { 2: { kind: 'user', hides: 'always' } },
  usage: { 4: ALWAYS },
  apis: { 0: ALWAYS },
}

/** The rule of an element of a row of our own backup, by the name of its table; null outside of one. */
function ruleInRow(levels: JsonLevels, { isList, count, first }: Level): NameRule | null {
  const tables = levels.above(2)
  if (!isList || levels.above(1)?.isList !== true || tables?.isList !== false) return null
  if (levels.above(3)?.name !== 'tables') return null
  if (tables.name === 'days') return first === 'api' && count === 3 ? ALWAYS : null
  if (tables.name === 'meta') return /key$/.test(first) && count === 1 ? ALWAYS : null
  return ROWS[tables.name]?.[count] ?? null
}
