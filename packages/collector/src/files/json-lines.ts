/** Line numbers of the first mistake and of the list elements in a JSON text, counted from 1. */
export interface JsonLines {
  /** Line of the first mistake; null for valid JSON. */
  readonly mistakeAt: number | null
  /** Lines on which the elements of the document's list begin, in order. */
  readonly elementLines: readonly number[]
}

const TOKEN =
  /[ \t\r\n]*(?:([{[])|([}\]])|(,)|(:)|("(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y

/** Kinds of token allowed next. `first`: a value, or the end of the container just opened. */
type Expected = 'value' | 'first' | 'key' | 'colon' | 'comma' | 'end'

/** Walks through a text of at most a few MB, without recursion. `listKey` names the document's list whose elements are located. */
export function jsonLines(text: string, listKey: string): JsonLines {
  const lineAt = lineCounter(text)
  const open: ('{' | '[')[] = []
  const elementLines: number[] = []
  let expected: Expected = 'value'
  let at = 0
  let documentKey = ''
  const wrong = () => {
    const skipped = /^[ \t\r\n]*/.exec(text.slice(at))?.[0].length ?? 0
    return {
      mistakeAt: lineAt(Math.min(at + skipped, Math.max(0, text.trimEnd().length - 1))),
      elementLines,
    }
  }
  for (;;) {
    TOKEN.lastIndex = at
    const match = TOKEN.exec(text)
    if (match === null)
      return expected === 'end' && text.slice(at).trim() === ''
        ? { mistakeAt: null, elementLines }
        : wrong()
    const [whole, opens, closes, comma, colon, string] = match
    const inObject = open.at(-1) === '{'
    const isKey = expected === 'key' || (expected === 'first' && inObject)
    const isValue = expected === 'value' || (expected === 'first' && !inObject)
    if (closes !== undefined) {
      if (
        (expected !== 'first' && expected !== 'comma') ||
        (closes === '}') !== inObject ||
        open.length === 0
      )
        return wrong()
      open.pop()
    } else if (comma !== undefined || colon !== undefined) {
      if (expected !== (comma !== undefined ? 'comma' : 'colon')) return wrong()
      expected = comma !== undefined && inObject ? 'key' : 'value'
      at += whole.length
      continue
    } else if (isKey) {
      if (string === undefined) return wrong()
      if (open.length === 1) documentKey = JSON.parse(string) as string
      expected = 'colon'
      at += whole.length
      continue
    } else if (isValue) {
      if (open.length === 2 && !inObject && documentKey === listKey)
        elementLines.push(lineAt(at + whole.search(/\S/)))
      if (opens !== undefined) open.push(opens === '{' ? '{' : '[')
    } else return wrong()
    at += whole.length
    expected = opens !== undefined ? 'first' : open.length === 0 ? 'end' : 'comma'
  }
}

/** Line of an offset; offsets must not go back. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1
  let counted = 0
  return (offset) => {
    for (; counted < offset; counted += 1) if (text[counted] === '\n') line += 1
    return line
  }
}
