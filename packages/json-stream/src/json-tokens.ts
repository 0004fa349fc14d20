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

/** See JsonTokens. Holds no text but the piece that was given last. */
export function createJsonTokens({
  isLoose = false,
  partLength = Number.POSITIVE_INFINITY,
}: JsonTokenOptions = {}): JsonTokens {
  const kinds = isLoose ? LOOSE_KINDS : STRICT_KINDS
  const lineEnd = isLoose ? LINE_FEED : NEVER
  let text = ''
  let base = 0
  let isLast = false
  /** In `text`: what was read so far, and the token found. */
  let at = 0
  let start = 0
  let end = 0
  let ending: JsonTokens['ending'] = 'quote'
  /** Of the string under way; 0 outside of one. */
  let quote = 0
  /** In `text`: where the string under way, or the part of it, begins. */
  let stringStart = 0
  let isContinued = false
  let isEscaped = false

  const found = (from: number, to: number, kind: number): number => {
    start = from
    end = to
    return kind
  }
  /** Reads on in the string under way. */
  const readString = (isWanted: boolean): number => {
    const { length } = text
    if (isEscaped && at < length) {
      at += 1
      isEscaped = false
    }
    const index = stringEnd(text, at, quote, lineEnd)
    if (index < length) {
      ending = text.charCodeAt(index) === quote ? 'quote' : 'line'
      at = ending === 'quote' ? index + 1 : index
      quote = 0
      return found(stringStart, index, KIND.string)
    }
    isEscaped ||= index > length
    at = length
    if (isLast) {
      ending = 'text'
      quote = 0
      return found(stringStart, length, KIND.string)
    }
    if (!isWanted || length - stringStart < partLength) return 0
    ending = 'part'
    isContinued = true
    const partStart = stringStart
    // A backslash at the end belongs to what follows.
    stringStart = isEscaped ? length - 1 : length
    return found(partStart, stringStart, KIND.string)
  }
  const readBare = (): number => {
    const to = (isLoose ? commentEnd(text, at) : null) ?? bareEnd(text, at)
    if (to === text.length && !isLast && to - at < partLength) return 0
    const from = at
    at = to
    return found(from, to, KIND.bare)
  }

  return {
    give(given, givenBase, givenIsLast) {
      const by = base - givenBase
      at += by
      start += by
      end += by
      stringStart += by
      text = given
      base = givenBase
      isLast = givenIsLast
    },
    next(wanted) {
      const { length } = text
      // A quote inside of a comment or a word begins no string.
      const stops = wanted | KIND.string | (isLoose ? KIND.bare : 0)
      const isWanted = (wanted & KIND.string) !== 0
      while (at < length || (isLast && quote !== 0)) {
        if (quote !== 0) {
          const kind = readString(isWanted)
          if (kind === 0 || isWanted) return kind
        }
        let index = at
        let kind = 0
        let code = 0
        for (; index < length; index += 1) {
          code = text.charCodeAt(index)
          kind = kinds[code] ?? KIND.bare
          if ((kind & stops) === 0) continue
          if (kind !== KIND.string) break
          const close = stringEnd(text, index + 1, code, lineEnd)
          if (close >= length) break
          const isQuote = text.charCodeAt(close) === code
          if (isWanted) {
            ending = isQuote ? 'quote' : 'line'
            at = isQuote ? close + 1 : close
            return found(index + 1, close, KIND.string)
          }
          index = isQuote ? close : close - 1
        }
        at = index
        if (index >= length) return 0
        if (kind === KIND.bare) {
          kind = readBare()
          if (kind === 0 || (kind & wanted) !== 0) return kind
          continue
        }
        at = index + 1
        if (kind !== KIND.string) return found(index, at, kind)
        quote = code
        stringStart = at
        isContinued = false
      }
      return 0
    },
    get start() {
      return base + start
    },
    get end() {
      return base + end
    },
    get ending() {
      return ending
    },
    get settled() {
      if (quote === 0) return base + at
      return base + (isContinued ? stringStart : stringStart - 1)
    },
  }
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
