/** What a token is; several are put together with `|` to say which ones are wanted. */
export const JsonTokenKind = {
  /** `[` or `{`. */
  open: 1,
  /** `]` or `}`. */
  close: 2,
  comma: 4,
  colon: 8,
  /** One blank, tab or carriage return. */
  blank: 16,
  /** One line feed. */
  line: 32,
  /** What stands between two quotes, still with its escapes. */
  string: 64,
  /** A number, a literal, or whatever else stands there without quotes. */
  bare: 128,
} as const

/**
 * Splits JSON that arrives in pieces into tokens. It looks at quotes, brackets and separators alone: that a document is valid is up to JSON.parse.
 * Offsets are those of the whole text.
 */
export interface JsonTokens {
  /** Goes on in `text`, which begins at the offset `base` and holds everything from `settled` on. With `isLast` nothing follows. */
  give(text: string, base: number, isLast: boolean): void
  /** The kind of the next token among the wanted ones, or 0 when it cannot be seen in the text that was given. */
  next(wanted: number): number
  /** Where the token begins; for a string this is behind its quote. */
  readonly start: number
  /** Where the token ends; for a string this is before its quote. */
  readonly end: number
  /** How the string ends: with its quote, with its line, with the text, or not yet, because this is a part of a long one. */
  readonly ending: 'quote' | 'line' | 'text' | 'part'
  /** Before this offset nothing is needed any more. */
  readonly settled: number
}

/** How a text is read that is not JSON throughout, or whose strings may be long. Without them it is read as JSON, strings whole. */
export interface JsonTokenOptions {
  /**
   * Reads text that only resembles JSON: a string may have single quotes and ends with its line at the latest; comments are bare
   * tokens.
   */
  readonly isLoose?: boolean
  /** A string or bare token that is still open after so many characters is given in parts. */
  readonly partLength?: number
}

const KIND = JsonTokenKind
const SINGLE_QUOTE = 0x27
const BACKSLASH = 0x5c
const LINE_FEED = 0x0a
const NUMBER_SIGN = 0x23
const NEVER = -1

const KIND_OF_SIGN: Readonly<Record<string, number>> = {
  '[': KIND.open,
  '{': KIND.open,
  ']': KIND.close,
  '}': KIND.close,
  ',': KIND.comma,
  ':': KIND.colon,
  ' ': KIND.blank,
  '\t': KIND.blank,
  '\r': KIND.blank,
  '\n': KIND.line,
  '"': KIND.string,
}

/** By character code up to 255; anything beyond is bare. */
function kindsOfCodes(isLoose: boolean): Uint8Array {
  const kinds = new Uint8Array(256).fill(KIND.bare)
  // Control characters separate in text that only resembles JSON.
  if (isLoose) kinds.fill(KIND.blank, 0, 0x20)
  for (const [sign, kind] of Object.entries(KIND_OF_SIGN)) kinds[sign.charCodeAt(0)] = kind
  if (isLoose) kinds[SINGLE_QUOTE] = KIND.string
  return kinds
}

/** 1 for what ends a bare token. A single quote does not, as in `don't`. */
const ENDS_BARE = new Uint8Array(256).fill(1, 0, 0x21)
for (const sign of ',:"[]{}') ENDS_BARE[sign.charCodeAt(0)] = 1

const STRICT_KINDS = kindsOfCodes(false)
const LOOSE_KINDS = kindsOfCodes(true)

/** Where a reader is. Places are in `text`. */
interface ReaderState {
  readonly isLoose: boolean
  readonly partLength: number
  readonly kinds: Uint8Array
  readonly lineEnd: number
  text: string
  base: number
  isLast: boolean
  /** What was read so far, and the token found. */
  at: number
  start: number
  end: number
  ending: JsonTokens['ending']
  /** Of the string under way; 0 outside of one. */
  quote: number
  /** Where the string under way, or the part of it, begins. */
  stringStart: number
  isContinued: boolean
  isEscaped: boolean
}

/** See JsonTokens. Holds no text but the piece that was given last. */
export function createJsonTokens({
  isLoose = false,
  partLength = Number.POSITIVE_INFINITY,
}: JsonTokenOptions = {}): JsonTokens {
  const state: ReaderState = {
    isLoose,
    partLength,
    kinds: isLoose ? LOOSE_KINDS : STRICT_KINDS,
    lineEnd: isLoose ? LINE_FEED : NEVER,
    text: '',
    base: 0,
    isLast: false,
    at: 0,
    start: 0,
    end: 0,
    ending: 'quote',
    quote: 0,
    stringStart: 0,
    isContinued: false,
    isEscaped: false,
  }
  return {
    give(text, base, isLast) {
      const by = state.base - base
      state.at += by
      state.start += by
      state.end += by
      state.stringStart += by
      state.text = text
      state.base = base
      state.isLast = isLast
    },
    next: (wanted) => readToken(state, wanted),
    get start() {
      return state.base + state.start
    },
    get end() {
      return state.base + state.end
    },
    get ending() {
      return state.ending
    },
    get settled() {
      if (state.quote === 0) return state.base + state.at
      return state.base + (state.isContinued ? state.stringStart : state.stringStart - 1)
    },
  }
}

/** The kind of the next wanted token, or 0. */
function readToken(state: ReaderState, wanted: number): number {
  const { length } = state.text
  // A quote inside of a comment or a word begins no string.
  const stops = wanted | KIND.string | (state.isLoose ? KIND.bare : 0)
  const isWanted = (wanted & KIND.string) !== 0
  while (state.at < length || (state.isLast && state.quote !== 0)) {
    if (state.quote !== 0) {
      const kind = readString(state, isWanted)
      if (kind === 0 || isWanted) return kind
    }
    const kind = findStop(state, stops, isWanted)
    if (kind === KIND.bare) {
      const bare = readBare(state)
      if (bare === 0 || (bare & wanted) !== 0) return bare
    } else if (state.quote === 0) return kind
  }
  return 0
}

/**
 * Goes on to the next token among `stops`: before a bare one, behind a sign, behind the quote that begins a string. A string that ends in this text is
 * read whole or, unless it is wanted, passed over. Gives 0 where the text has no stop.
 */
function findStop(state: ReaderState, stops: number, isWanted: boolean): number {
  const { text, kinds, lineEnd } = state
  const { length } = text
  let index = state.at
  for (; index < length; index += 1) {
    const code = text.charCodeAt(index)
    const kind = kinds[code] ?? KIND.bare
    if ((kind & stops) === 0) continue
    if (kind !== KIND.string) {
      if (kind === KIND.bare) {
        state.at = index
        return kind
      }
      state.at = index + 1
      return found(state, index, index + 1, kind)
    }
    const close = stringEnd(text, index + 1, code, lineEnd)
    if (close >= length) {
      state.quote = code
      state.at = index + 1
      state.stringStart = index + 1
      state.isContinued = false
      return kind
    }
    const isQuote = text.charCodeAt(close) === code
    if (isWanted) {
      state.ending = isQuote ? 'quote' : 'line'
      state.at = isQuote ? close + 1 : close
      return found(state, index + 1, close, kind)
    }
    index = isQuote ? close : close - 1
  }
  state.at = index
  return 0
}

/** Reads on in the string under way. */
function readString(state: ReaderState, isWanted: boolean): number {
  const { text, quote, lineEnd, stringStart } = state
  const { length } = text
  if (state.isEscaped && state.at < length) {
    state.at += 1
    state.isEscaped = false
  }
  const index = stringEnd(text, state.at, quote, lineEnd)
  if (index < length) {
    state.ending = text.charCodeAt(index) === quote ? 'quote' : 'line'
    state.at = state.ending === 'quote' ? index + 1 : index
    state.quote = 0
    return found(state, stringStart, index, KIND.string)
  }
  state.isEscaped ||= index > length
  state.at = length
  if (state.isLast) {
    state.ending = 'text'
    state.quote = 0
    return found(state, stringStart, length, KIND.string)
  }
  if (!isWanted || length - stringStart < state.partLength) return 0
  state.ending = 'part'
  state.isContinued = true
  // A backslash at the end belongs to what follows.
  state.stringStart = state.isEscaped ? length - 1 : length
  return found(state, stringStart, state.stringStart, KIND.string)
}

/** Reads the bare token that begins here; 0 where its end cannot be seen. */
function readBare(state: ReaderState): number {
  const { text, at } = state
  const to = (state.isLoose ? commentEnd(text, at) : null) ?? bareEnd(text, at)
  if (to === text.length && !state.isLast && to - at < state.partLength) return 0
  state.at = to
  return found(state, at, to, KIND.bare)
}

function found(state: ReaderState, from: number, to: number, kind: number): number {
  state.start = from
  state.end = to
  return kind
}

/** Where the rest of a string ends: beyond the text when that cannot be seen, by one more when the last character escapes the next. */
function stringEnd(text: string, from: number, quote: number, lineEnd: number): number {
  const { length } = text
  let at = from
  for (; at < length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at += 1
    else if (code === quote || code === lineEnd) return at
  }
  return at
}

/** The end of a number, a literal or a word that begins here. */
function bareEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (ENDS_BARE[code] === 1) return at
  }
  return text.length
}

/** The end of a comment that begins here: `// x`, `# x` or `/* x *\/`; null where none does. */
function commentEnd(text: string, at: number): number | null {
  if (text.startsWith('//', at) || text.charCodeAt(at) === NUMBER_SIGN) {
    const line = text.indexOf('\n', at)
    return line < 0 ? text.length : line
  }
  if (!text.startsWith('/*', at)) return null
  const end = text.indexOf('*/', at + 2)
  return end < 0 ? text.length : end + 2
}
