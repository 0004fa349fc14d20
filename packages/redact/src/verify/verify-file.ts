import { StringDecoder } from 'node:string_decoder'
import { piecesOf, type Reading } from '../files/input.ts'
import type { KnownValues } from '../known/known-values.ts'

/**
 * True if a copy contains a known value in any spelling. Reads all bytes in order, regardless of lines, cells and pages, and therefore finds values
 * that the parsers of the formats missed.
 */
export async function holdsKnown(reading: Reading, known: KnownValues): Promise<boolean> {
  const decoder = new StringDecoder('utf8')
  let text = ''
  let isStart = true
  const isFound = (isLast: boolean) =>
    known
      .find(text)
      .some(({ start, end }) => (isStart || start > 0) && (isLast || end < text.length))
  for await (const piece of piecesOf(reading)) {
    text += decoder.write(piece)
    if (isFound(false)) return true
    const from = Math.max(0, text.length - known.reach - 2)
    isStart &&= from === 0
    text = text.slice(from)
  }
  text += decoder.end()
  return isFound(true)
}
