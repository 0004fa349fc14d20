import { mayNameSecret, ruleOfName } from '../names/secret-names.ts'

/** Position of a value that a name marks as a secret. */
export interface NamedValue {
  readonly start: number
  readonly end: number
  /** True if the value is also searched for elsewhere; false for the rest of a line that merely follows a name. */
  readonly isCertain: boolean
}

/** Finds values under the names of secrets, line by line. */
export interface NamedValues {
  in(line: string): readonly NamedValue[]
}

const NAME = /[\p{L}_][\p{L}\p{M}\d_.-]*/gu
/** After a name: closing quotes and marks, then the separator before the value. */
const SEPARATOR =
  /(?:\\{0,8}["'`]|&quot;|%22|[\])*]|[ \t])*(?:=>|:=|==?|:|%3[ad]|\|(?!\|)|>)(?:\*\*|[ \t])*/iy
/** After the name of a secret that is itself a value: `name="password" value=`. */
const PAIR =
  /\\{0,8}["'`]?[ \t]*[,;]?[ \t]*\\{0,8}["'`]?(?:value|val|content|data)\\{0,8}["'`]?[ \t]*[:=][ \t]*/iy
/** After a flag, a directive or the first argument of a call, where the value follows without a separator. */
const BLANK = /\\{0,8}["'`]?[ \t]*,?[ \t]+(?=[^\s-])/y
const OPENS_BLANK = /(?:--|[(,[][ \t]*\\{0,8}["'`]?(?:--)?|header[ \t]+|login[ \t]+\S+[ \t]+)$/i
const QUOTE = /\$?(\\{0,8}(?:["'`]|&quot;))/y
/** Text before a name at the beginning of its line: marks of lists, mail, logs and exports. */
const STARTS_LINE = /^[\s>*#|<+-]*(?:export[ \t]+|set[ \t]+|\$env:)?["'[(]*$/i
const SCHEME = /(?:Bearer|Basic|Token|Digest|ApiKey)[ \t]+(?=\S)/iy
const TYPE_OF_DUMP = /(?:string|str)?\(\d+\)[ \t]*|s:\d+:/y
/** States, references and marks that are not values. */
const NO_VALUE =
  /^(?:|null|nil|none|true|false|unset|not set|undefined|[*.•xX#_-]+|[|>][+-]?\d?|[[{(]|<[a-z -]+>|\$\{[\w.:]+\}|\$[A-Z_][A-Z0-9_]*|\{\{[^{}]*\}\}|%[sdvq])$/i

/** True for a text under the name of a secret that is not a secret. */
export function isNoValue(value: string): boolean {
  return NO_VALUE.test(value)
}

interface Block {
  /**
   * Lines belong to the block if they are indented more than this, or equally and begin with a dash. -1 for a block that ends only at a line that
   * matches `until`, or after one line.
   */
  readonly indent: number
  readonly until: RegExp | null
  /** True if the block has only one line. */
  readonly isOneLine: boolean
}

export function createNamedValues(): NamedValues {
  let block: Block | null = null
  return {
    in(line) {
      if (line.trim() === '') return []
      if (block !== null && belongs(line, block)) {
        if (block.isOneLine) block = null
        return valuesOfBlock(line)
      }
      block = null
      if (!mayNameSecret(line)) return []
      block = blockBehind(line)
      return namedIn(line)
    },
  }
}

function namedIn(line: string): readonly NamedValue[] {
  const found: NamedValue[] = []
  let from = 0
  for (const { 0: name, index } of line.matchAll(NAME)) {
    if (index < from || ruleOfName(name) !== 'secret') continue
    const start = valueStart(line, index, index + name.length)
    if (start === null) continue
    for (const value of valuesAt(line, start.at, { index, name, isSpaced: start.isSpaced })) {
      from = Math.max(from, value.end)
      if (!isNoValue(line.slice(value.start, value.end))) found.push(value)
    }
  }
  return found
}

/** Offset of the value of a name that ends at `end`; null if there is none. */
function valueStart(
  line: string,
  index: number,
  end: number,
): { readonly at: number; readonly isSpaced: boolean } | null {
  for (const behind of [PAIR, SEPARATOR]) {
    const length = lengthAt(behind, line, end)
    if (length > 0)
      return { at: end + length, isSpaced: /[ \t]$/.test(line.slice(end, end + length)) }
  }
  const before = line.slice(Math.max(0, index - 64), index)
  const length =
    OPENS_BLANK.test(before) || /^x-/i.test(line.slice(index, end)) ? lengthAt(BLANK, line, end) : 0
  return length > 0 ? { at: end + length, isSpaced: false } : null
}

interface Named {
  readonly index: number
  readonly name: string
  /** True if there is a blank between separator and value. */
  readonly isSpaced: boolean
}

function valuesAt(line: string, from: number, named: Named): readonly NamedValue[] {
  const at = from + lengthAt(TYPE_OF_DUMP, line, from)
  const quote = matchAt(QUOTE, line, at)
  if (quote !== null) return [quotedAt(line, at + quote[0].length, quote[1] ?? '')]
  if (/^[[{(]/.test(line.slice(at, at + 1))) return itemsOf(line, at)
  const start = at + lengthAt(SCHEME, line, at)
  const startsLine = STARTS_LINE.test(line.slice(0, named.index))
  const end = /[?&]$/.test(line.slice(0, named.index))
    ? endOfParameter(line, start)
    : startsLine
      ? endOfLine(line, start)
      : endInLine(line, start, named)
  const value = line.slice(start, end)
  return end > start ? [{ start, end, isCertain: isOneValue(value, startsLine) }] : []
}

/** False for the rest of a log line, which is no value to search for elsewhere. */
function isOneValue(value: string, startsLine: boolean): boolean {
  if (value.length > 1_000) return false
  return !/\s/.test(value) || (startsLine && !/["{}[\]]/.test(value))
}

function endOfLine(line: string, start: number): number {
  const comment = line.indexOf(' #', start)
  const text = line.slice(0, comment < 0 ? line.length : comment)
  const markup = text.indexOf('</', start)
  return Math.max(start, trimmedEnd(markup < 0 ? text : text.slice(0, markup)).length)
}

/** The text without trailing blanks and without a final comma, semicolon or table border. */
function trimmedEnd(text: string): string {
  const end = text.trimEnd()
  return /[,;]$/.test(end) || end.endsWith(' |') ? end.slice(0, -1).trimEnd() : end
}

/** End of a URL parameter. URL encoders leave quotes and brackets unchanged; at the end they belong to the surrounding text. */
function endOfParameter(line: string, start: number): number {
  const value = /^[^\s&"<>]*/.exec(line.slice(start))?.[0] ?? ''
  return start + value.replace(/[`)\]},;']$/, '').length
}

function endInLine(line: string, start: number, { name, isSpaced }: Named): number {
  const stop = /cookie$/i.test(name)
    ? /["']/g
    : isSpaced
      ? /[,;|<>"'`)}\]]|[ \t]{2}/g
      : /[\s&;,"'`<>|)\]}]/g
  stop.lastIndex = start
  return stop.exec(line)?.index ?? line.length
}

/** A quoted value; extends to the next blank if a shell word continues after the closing quote. */
function quotedAt(line: string, start: number, quote: string): NamedValue {
  let end = line.indexOf(quote, start)
  while (
    end > 0 &&
    quote.length === 1 &&
    (isEscaped(line, end) || (line[end + 1] === quote && quote !== '`'))
  )
    end = line.indexOf(quote, end + (isEscaped(line, end) ? 1 : 2))
  if (end < 0) return { start, end: line.length, isCertain: true }
  const rest = /^[^\s,;)\]}>&|<]*/.exec(line.slice(end + quote.length))?.[0] ?? ''
  return {
    start,
    end: /['"\\]/.test(rest) && !/^["'\\]*:/.test(rest) ? end + quote.length + rest.length : end,
    isCertain: true,
  }
}

function isEscaped(line: string, at: number): boolean {
  let count = 0
  while (line[at - 1 - count] === '\\') count += 1
  return count % 2 === 1
}

const ITEM = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|[^\s,[\]{}()"']+/g

/** Values in brackets, each as its own span, so that the surrounding text can still be parsed. */
function itemsOf(line: string, from: number): readonly NamedValue[] {
  const close = { '[': ']', '{': '}', '(': ')' }[line[from] ?? ''] ?? ']'
  const end = line.lastIndexOf(close)
  const text = line.slice(from, end > from ? end : line.length)
  return [...text.matchAll(ITEM)].map(({ 0: item, 1: double, 2: single, index }) => {
    const inner = double ?? single
    const start = from + index + (inner === undefined ? 0 : 1)
    return { start, end: start + (inner ?? item).length, isCertain: true }
  })
}

const EMPTY_BEHIND_NAME =
  /^(\s*(?:- )*)(?:export )?["'*]*([\p{L}_][\p{L}\d_.-]*)["'*]*[ \t]*[:=][ \t]*(?:[|>][+-]?\d?|[[{(]|\*\*)?[ \t]*(?:#.*)?$/u
const SECTION = /^\s*\[+([^\]=]+)\]+\s*$/
const NAME_OF_PAIR =
  /^(\s*)(?:- )?["']?(?:name|key)["']?[ \t]*[:=][ \t]*["']?([\p{L}_][\p{L}\d_.-]*)["']?,?\s*$/u
const NAME_AT_END =
  /(?:<key>|\bname="|\["|<)([\p{L}_][\p{L}\d_.-]*)(?:<\/key>|"|"\][ \t]*=>|>)[ \t\r]*$/u
const ARGUMENT = /^(\s*)- ["']?--?([\w-]+)["']?\s*$/

/** The block of lines after a name whose own line contains no value; null if there is none. */
function blockBehind(line: string): Block | null {
  const of = (shape: RegExp, group: number) => {
    const name = shape.exec(line)?.[group]
    return name !== undefined && ruleOfName(name) === 'secret'
  }
  const indent = /^\s*(?:- )*/.exec(line)?.[0].length ?? 0
  if (of(EMPTY_BEHIND_NAME, 2))
    return /[[{(][ \t]*$/.test(line)
      ? { indent: -1, until: /^\s*[\]})]/, isOneLine: false }
      : { indent, until: null, isOneLine: false }
  if (of(SECTION, 1)) return { indent: -1, until: /^\s*\[/, isOneLine: false }
  if (of(NAME_OF_PAIR, 2) || of(NAME_AT_END, 1) || of(ARGUMENT, 2))
    return { indent: -1, until: null, isOneLine: true }
  return null
}

function belongs(line: string, { indent, until }: Block): boolean {
  if (until !== null) return !until.test(line)
  const own = /^\s*/.exec(line)?.[0].length ?? 0
  return own > indent || (own === indent && /^\s*- /.test(line))
}

const KEY_IN_BLOCK = /^\s*(?:- )*(?:["']?[\w.-]+["']?[ \t]*(?::(?=[ \t]|$)|=)[ \t]*|<[^>]*>)?/
const FILE_IN_BLOCK = /^\s*(?:- )*["']?[\w.-]*(?:file|path|dir)["']?[ \t]*[:=]/i
const END_IN_BLOCK = /(?:<\/[^>]*>)?[ \t]*,?[ \t\r]*$/

function valuesOfBlock(line: string): readonly NamedValue[] {
  if (FILE_IN_BLOCK.test(line)) return []
  const at = KEY_IN_BLOCK.exec(line)?.[0].length ?? 0
  const from = at + lengthAt(TYPE_OF_DUMP, line, at)
  const quote = matchAt(QUOTE, line, from)
  if (quote !== null) return [quotedAt(line, from + quote[0].length, quote[1] ?? '')]
  const end = END_IN_BLOCK.exec(line)?.index ?? line.length
  const value = line.slice(from, end)
  if (value === '' || isNoValue(value) || /^[[\]{}()|>-]+$/.test(value)) return []
  return [{ start: from, end, isCertain: true }]
}

function matchAt(shape: RegExp, line: string, at: number): RegExpExecArray | null {
  shape.lastIndex = at
  return shape.exec(line)
}

function lengthAt(shape: RegExp, line: string, at: number): number {
  return matchAt(shape, line, at)?.[0].length ?? 0
}
