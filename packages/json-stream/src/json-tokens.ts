/** Kinds of tokens, one bit each; combine wanted kinds with `|`. */
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
  /** The text between two quotes, escapes not yet decoded. */
  string: 64,
  /** A number, a literal, or any other text without quotes. */
  bare: 128,
} as const

/**
 * Splits JSON that arrives in pieces into tokens. Examines only quotes, brackets and separators; JSON.parse decides whether a document is
 * valid. Offsets count from the start of the whole text.
 */
export interface JsonTokens {
  /** Supplies `text`, which begins at offset `base` and contains everything from `settled` on. `isLast`: no more text follows. */
  give(text: string, base: number, isLast: boolean): void
  /** Kind of the next token among the wanted ones, or 0 if the given text ends before it. */
  next(wanted: number): number
  /** Offset of the token's first character; for a string, of the first character after its quote. */
  readonly start: number
  /** Offset after the token's last character; for a string, offset of its closing quote. */
  readonly end: number
  /** Cause of the end of the string: its quote, the end of its line, the end of the text, or `part`, because a long string is given in parts. */
  readonly ending: 'quote' | 'line' | 'text' | 'part'
  /** Text before this offset is no longer needed. */
  readonly settled: number
}

/** Options for text that is not pure JSON or that may have long strings. Default: JSON, with strings whole. */
export interface JsonTokenOptions {
  /** Accepts text that only resembles JSON: strings may have single quotes and end with their line at the latest; comments are bare tokens. */
  readonly isLoose?: boolean
  /** Length from which an unfinished string or bare token is given in parts. */
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

/** Kinds by character code up to 255; any other character is bare. */
function kindsOfCodes(isLoose: boolean): Uint8Array {
  const kinds = new Uint8Array(256).fill(KIND.bare)
  // In text that only resembles JSON, control characters are separators.
  if (isLoose) kinds.fill(KIND.blank, 0, 0x20)
  for (const [sign, kind] of Object.entries(KIND_OF_SIGN)) kinds[sign.charCodeAt(0)] = kind
  if (isLoose) kinds[SINGLE_QUOTE] = KIND.string
  return kinds
}

/** By character code: 1 if the character ends a bare token. A single quote does not, as in `don't`. */
const ENDS_BARE = new Uint8Array(256).fill(1, 0, 0x21)
for (const sign of ',:"[]{}') ENDS_BARE[sign.charCodeAt(0)] = 1

const STRICT_KINDS = kindsOfCodes(false)
const LOOSE_KINDS = kindsOfCodes(true)

/** State of one reader. Places are indexes into `text`. */
interface ReaderState {
  readonly isLoose: boolean
  readonly partLength: number
  readonly kinds: Uint8Array
  readonly lineEnd: number
  text: string
  base: number
  isLast: boolean
  /** `at` is the index of the first unread character. The other fields are place and ending of the last token found. */
  at: number
  start: number
  end: number
  ending: JsonTokens['ending']
  /** Character code of the open string's quote; 0 outside of a string. */
  quote: number
  /** Start of the open string, or of its current part. */
  stringStart: number
  isContinued: boolean
  isEscaped: boolean
}

/** Creates a tokenizer (see JsonTokens). Keeps only the latest piece. */
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

function readToken(state: ReaderState, wanted: number): number {
  const { length } = state.text
  // A quote inside a comment or a word does not begin a string.
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
 * Moves to the next token among `stops`: to the start of a bare token, behind a sign, or behind the opening quote of a string. Reads a string that
 * ends in this text if wanted, else skips it. 0 if the text has no stop.
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
      return setToken(state, index, index + 1, kind)
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
      return setToken(state, index + 1, close, kind)
    }
    index = isQuote ? close : close - 1
  }
  state.at = index
  return 0
}

/** Continues reading the open string. */
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
    return setToken(state, stringStart, index, KIND.string)
  }
  state.isEscaped ||= index > length
  state.at = length
  if (state.isLast) {
    state.ending = 'text'
    state.quote = 0
    return setToken(state, stringStart, length, KIND.string)
  }
  if (!isWanted || length - stringStart < state.partLength) return 0
  state.ending = 'part'
  state.isContinued = true
  // A backslash at the end belongs to the next part.
  state.stringStart = state.isEscaped ? length - 1 : length
  return setToken(state, stringStart, state.stringStart, KIND.string)
}

/** Reads the bare token that begins at the current index; 0 if it may go on beyond the given text. */
function readBare(state: ReaderState): number {
  const { text, at } = state
  const to = (state.isLoose ? commentEnd(text, at) : null) ?? bareEnd(text, at)
  if (to === text.length && !state.isLast && to - at < state.partLength) return 0
  state.at = to
  return setToken(state, at, to, KIND.bare)
}

function setToken(state: ReaderState, from: number, to: number, kind: number): number {
  state.start = from
  state.end = to
  return kind
}

/** Index of the quote or line end that closes a string. If the string goes on, the text's length, or one more if the last character is an escape. */
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

/** Index after the number, literal or word that begins at `from`. */
function bareEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (ENDS_BARE[code] === 1) return at
  }
  return text.length
}

/** The end of a comment that begins here: `// x`, `# x` or `/* x *\/`; null if no comment does. */
function commentEnd(text: string, at: number): number | null {
  if (text.startsWith('//', at) || text.charCodeAt(at) === NUMBER_SIGN) {
    const line = text.indexOf('\n', at)
    return line < 0 ? text.length : line
  }
  if (!text.startsWith('/*', at)) return null
  const end = text.indexOf('*/', at + 2)
  return end < 0 ? text.length : end + 2
}
