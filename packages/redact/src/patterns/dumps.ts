import type { Span } from '../span.ts'

/** The offset that begins a line of a dump, also behind other text. */
const OFFSET = /(?<![^ \t\r\n"'`>|\]])(0x[0-9a-fA-F]{4,16}|[0-9a-fA-F]{6,16})(:?)(?=[ \t])/g
/** Bytes or words in hexadecimal or binary digits behind an offset with a colon, and the blanks before their text. */
const GROUPS =
  /(?:[ \t]{1,4}[0-9a-fA-F]{2,16}(?![^ \t\r\n"'\\])){1,64}([ \t]{2}|[ \t]*(?:[\r\n"'\\]|$))?/y
/** Numbers of any base to the end of the line, or to the text that some tools write beside them. */
const NUMBERS =
  /(?:[ \t]{1,24}-?[0-9a-fA-F][0-9a-fA-F.]{0,23}(?:e[-+]\d\d)?(?![^ \t\r\n"'\\])){1,64}[ \t]*(?:[|>]|[\r\n"'\\]|$)/y
/** Cells of four signs, as `od -c` and `od -a` write them. */
const CELLS = /(?: {3}[!-~]| {2}[!-~]{2}| [!-~]{3}| {4}){1,16}[ \t]*(?:[\r\n]|$)/y
/** Behind other text fewer groups, or digits, may be any number. */
const GROUPS_MIN = 2
const DIGITS_MIN = 8
/** Behind an offset with a colon that begins with no zero. */
const ANY_GROUPS_MIN = 4

/** Lines of `od`, `xxd`, `hexdump` and the like from their offset on. Nothing is read in them: they are removed whole. */
export function dumpLinesIn(text: string): Span[] {
  const spans: Span[] = []
  let from = 0
  for (const { 0: whole, 1: offset = '', 2: colon, index } of text.matchAll(OFFSET)) {
    if (index < from) continue
    const rest = index + whole.length
    if (colon === ':' ? !groupsFollow(text, rest, offset) : !numbersFollow(text, index, rest))
      continue
    from = lineEndFrom(text, index, rest)
    spans.push({
      start: index,
      end: from,
      kind: 'dump',
      value: text.slice(index, from),
      certainty: 'here',
    })
  }
  return spans
}

function groupsFollow(text: string, at: number, offset: string): boolean {
  GROUPS.lastIndex = at
  const [groups, isEnd] = GROUPS.exec(text) ?? []
  if (groups === undefined) return false
  const count = groups.trim().split(/[ \t]+/).length
  return offset.startsWith('0')
    ? count >= GROUPS_MIN || isEnd !== undefined
    : count >= ANY_GROUPS_MIN
}

function numbersFollow(text: string, start: number, at: number): boolean {
  if (text[start] !== '0') return false
  for (const shape of [NUMBERS, CELLS]) {
    shape.lastIndex = at
    const found = shape.exec(text)?.[0]
    if (found === undefined) continue
    const isLineStart = /(?:^|[\r\n])[ \t]*$/.test(text.slice(Math.max(0, start - 16), start))
    const groups = found.trim()
    return isLineStart || groups.length >= DIGITS_MIN || groups.split(/[ \t]+/).length >= GROUPS_MIN
  }
  return false
}

/** The end of the line, or of the quotes in which it stands. */
function lineEndFrom(text: string, start: number, from: number): number {
  const before = text[start - 1] ?? ''
  const end = /["'`]/.test(before) ? new RegExp(`[\\r\\n${before}]`, 'g') : /[\r\n]/g
  end.lastIndex = from
  return end.exec(text)?.index ?? text.length
}
