import { mayNameSecret, ruleOfName } from '../names/secret-names.ts'

/** Position of a value that a name marks as a secret. */
export interface NamedValue {
  readonly start: number
  readonly end: number
  /** True if the value is also searched for elsewhere; false for the rest of a line that merely follows a name. */
  readonly isCertain: boolean
}

const NAME = /[\p{L}_][\p{L}\p{M}\d_.-]*/gu
/** After a name: closing quotes and marks, then the separator before the value. */
const SEPARATOR =
  /(?:\\{0,8}["'`]|&quot;|%22|[\])*]|[ \t])*(?:=>|:=|==?|:|;(?=s:\d+:)|%3[ad]|\|(?!\|)|>)(?:\*\*|[ \t])*/iy
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

/** The lines after a name that hold its values. */
interface Block {
  readonly holds: (line: string) => boolean
  readonly isOneLine?: true
}

/** Finds values under the names of secrets, line by line. */
export function createNamedValues(): (line: string) => readonly NamedValue[] {
  let block: Block | null = null
  return (line) => {
    if (line.trim() === '') return []
    if (block?.holds(line)) {
      if (block.isOneLine) block = null
      return valuesOfBlock(line)
    }
    block = null
    if (!mayNameSecret(line)) return []
    block = blockBehind(line)
    return namedIn(line)
  }
}

function namedIn(line: string): readonly NamedValue[] {
  const found: NamedValue[] = []
  let from = 0
  for (const { 0: name, index } of line.matchAll(NAME)) {
    if (index < from || ruleOfName(name) !== 'secret') continue
    const named = namedAt(line, name, index)
    for (const value of named === null ? [] : valuesOf(line, named)) {
      from = Math.max(from, value.end)
      if (!isNoValue(line.slice(value.start, value.end))) found.push(value)
    }
  }
  return found
}

/** A name at `index` with a value at `at`. */
interface Named {
  readonly index: number
  readonly name: string
  readonly at: number
  /** True if there is a blank between separator and value. */
  readonly isSpaced: boolean
}

function namedAt(line: string, name: string, index: number): Named | null {
  const end = index + name.length
  for (const behind of [PAIR, SEPARATOR]) {
    const at = end + lengthAt(behind, line, end)
    if (at > end) return { index, name, at, isSpaced: /[ \t]/.test(line[at - 1] ?? '') }
  }
  const before = line.slice(Math.max(0, index - 64), index)
  const at = end + lengthAt(BLANK, line, end)
  const isBehindBlank = at > end && (OPENS_BLANK.test(before) || /^x-/i.test(name))
  return isBehindBlank ? { index, name, at, isSpaced: false } : null
}

function valuesOf(line: string, named: Named): readonly NamedValue[] {
  const at = named.at + lengthAt(TYPE_OF_DUMP, line, named.at)
  const quote = matchAt(QUOTE, line, at)
  if (quote !== null) return [quotedAt(line, at + quote[0].length, quote[1] ?? '')]
  if (/^[[{(]/.test(line.slice(at, at + 1))) return itemsOf(line, at)
  const start = at + lengthAt(SCHEME, line, at)
  const before = line.slice(0, named.index)
  const startsLine = STARTS_LINE.test(before)
  const value = /[?&]$/.test(before)
    ? parameterIn(line.slice(start))
    : startsLine
      ? trimmedEnd(line.slice(start).split(/ #|<\//)[0] ?? '')
      : line.slice(start, start + lengthAt(insideOf(named), line, start))
  const end = start + value.length
  return end > start ? [{ start, end, isCertain: isOneValue(value, startsLine) }] : []
}

/** False for the rest of a log line, which is no value to search for elsewhere. */
function isOneValue(value: string, startsLine: boolean): boolean {
  if (value.length > 1_000) return false
  return !/\s/.test(value) || (startsLine && !/["{}[\]]/.test(value))
}

/** The text without trailing blanks and without a final comma, semicolon or table border. */
function trimmedEnd(text: string): string {
  const end = text.trimEnd()
  return /[,;]$/.test(end) || end.endsWith(' |') ? end.slice(0, -1).trimEnd() : end
}

/** A URL parameter. URL encoders leave quotes and brackets unchanged; at the end they belong to the surrounding text. */
function parameterIn(rest: string): string {
  return rest.replace(/[\s&"<>].*$/s, '').replace(/[`)\]},;']$/, '')
}

/** Matches a value within a line. */
function insideOf({ name, isSpaced }: Named): RegExp {
  if (/cookie$/i.test(name)) return /[^"']*/y
  return isSpaced ? /(?:(?![ \t]{2})[^,;|<>"'`)}\]])*/y : /[^\s&;,"'`<>|)\]}]*/y
}

/** Text between quotes. */
const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /(?:\\.|""|[^"\\])*/sy,
  "'": /(?:\\.|''|[^'\\])*/sy,
  '`': /(?:\\.|[^`\\])*/sy,
}

/** A quoted value; extends to the next blank if a shell word continues after the closing quote. */
function quotedAt(line: string, start: number, quote: string): NamedValue {
  const inside = QUOTED[quote]
  const end =
    inside === undefined ? line.indexOf(quote, start) : start + lengthAt(inside, line, start)
  if (end < 0 || !line.startsWith(quote, end)) return { start, end: line.length, isCertain: true }
  const rest = /^[^\s,;)\]}>&|<]*/.exec(line.slice(end + quote.length))?.[0] ?? ''
  const isContinued = /['"\\]/.test(rest) && !/^["'\\]*:/.test(rest)
  return { start, end: isContinued ? end + quote.length + rest.length : end, isCertain: true }
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
      ? { holds: (next) => !/^\s*[\]})]/.test(next) }
      : { holds: (next) => isBelow(next, indent) }
  if (of(SECTION, 1)) return { holds: (next) => !/^\s*\[/.test(next) }
  if (of(NAME_OF_PAIR, 2) || of(NAME_AT_END, 1) || of(ARGUMENT, 2))
    return { holds: () => true, isOneLine: true }
  return null
}

/** True for a line that is indented more than `indent`, or equally and begins with a dash. */
function isBelow(line: string, indent: number): boolean {
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
