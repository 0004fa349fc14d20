/** A longer row is not a row: a quote was not closed. */
export const ROW_LENGTH_MAX = 128 * 1024

export interface Cell {
  readonly start: number
  readonly end: number
  readonly isQuoted: boolean
}

export interface Row {
  readonly cells: readonly Cell[]
  /** Offset behind the line break. */
  readonly next: number
  /** False for a row whose quotes do not fit. */
  readonly isSound: boolean
}

/** By RFC 4180; null when the end of the row has not been seen yet. */
export function rowAt(text: string, from: number, delimiter: string, isLast: boolean): Row | null {
  const cells: Cell[] = []
  let isSound = true
  for (let at = from; ; ) {
    if (text[at] === '"') {
      const close = closingQuote(text, at + 1)
      if (close === null || close - from > ROW_LENGTH_MAX) {
        if (!isLast && text.length - from < ROW_LENGTH_MAX) return null
        return { cells: [], next: from, isSound: false }
      }
      cells.push({ start: at + 1, end: close, isQuoted: true })
      at = close + 1
      if (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r')
        isSound = false
    }
    const end = cellEnd(text, at, delimiter, isLast)
    if (end === null && !isLast && text.length - from < ROW_LENGTH_MAX) return null
    const to = end ?? text.length
    if (text[at - 1] !== '"' || cells.at(-1)?.end !== at - 1) {
      const isLastOfLine = text[to] === '\n' && text[to - 1] === '\r'
      cells.push({ start: at, end: isLastOfLine ? to - 1 : to, isQuoted: false })
      if (text.slice(at, to).includes('"')) isSound = false
    }
    if (to >= text.length || isBreak(text, to))
      return { cells, next: Math.min(text.length, to + 1), isSound }
    at = to + 1
  }
}

/** One line, whatever its quotes say. */
export function plainRowAt(
  text: string,
  from: number,
  delimiter: string,
  isLast: boolean,
): Row | null {
  const newline = breakFrom(text, from, isLast)
  if (newline === null && !isLast && text.length - from < ROW_LENGTH_MAX) return null
  const end = newline ?? text.length
  const cells: Cell[] = []
  for (let at = from; at <= end; ) {
    const next = text.indexOf(delimiter, at)
    const to = next < 0 || next > end ? end : next
    const [start, stop] = withoutQuotes(text, at, to)
    cells.push({ start, end: stop, isQuoted: false })
    at = to + 1
  }
  return { cells, next: Math.min(text.length, end + 1), isSound: false }
}

function withoutQuotes(text: string, from: number, to: number): readonly [number, number] {
  let [start, end] = [from, to]
  while (end > start && /["\r ]/.test(text[end - 1] ?? '')) end -= 1
  while (start < end && /["' ]/.test(text[start] ?? '')) start += 1
  return [start, end]
}

function closingQuote(text: string, from: number): number | null {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at
  return null
}

function cellEnd(text: string, from: number, delimiter: string, isLast: boolean): number | null {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === delimiter) return at
    if (isBreak(text, at)) return at + 1 === text.length && text[at] === '\r' && !isLast ? null : at
  }
  return null
}

/** The line break of a row: older programs write a carriage return alone. */
export function breakFrom(text: string, from: number, isLast: boolean): number | null {
  for (let at = from; at < text.length; at += 1)
    if (isBreak(text, at)) return at + 1 === text.length && text[at] === '\r' && !isLast ? null : at
  return null
}

function isBreak(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)
}

export function cellValue(text: string, { start, end, isQuoted }: Cell): string {
  const raw = text.slice(start, end)
  return isQuoted ? raw.replaceAll('""', '"') : raw.trim()
}
