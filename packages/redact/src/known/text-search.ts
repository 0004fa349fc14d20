/** Length of the shortest text that is found: most places are ruled out by their first characters. */
export const STEM_LENGTH = 4

/** A number for the first characters; few texts share one that differ there. */
function stemOf(text: string, at: number): number {
  let stem = 0
  for (let index = at; index < at + STEM_LENGTH; index += 1) {
    const code = text.charCodeAt(index)
    stem = (stem << 8) | ((code ^ (code >> 8)) & 255)
  }
  return stem
}

/** Takes the value of a text that was found, and where it stands. */
type Found<Value> = (value: Value, start: number, end: number) => void
type Entry<Value> = readonly [text: string, value: Value]

/** Finds every occurrence of any of the texts, which lead to values, in time that hardly depends on their number. */
export function createTextSearch<Value>(values: ReadonlyMap<string, Value>) {
  const byStem = new Map<number, Entry<Value>[]>()
  for (const entry of [...values].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const stem = stemOf(entry[0], 0)
    const others = byStem.get(stem)
    if (others === undefined) byStem.set(stem, [entry])
    else others.push(entry)
  }
  return (text: string, found: Found<Value>): void => {
    for (let start = 0; start + STEM_LENGTH <= text.length; start += 1) {
      const sorted = byStem.get(stemOf(text, start))
      if (sorted !== undefined) findAt(text, start, sorted, found)
    }
  }
}

/** Narrows the sorted texts, character by character, to those that begin like the text at `start`. */
function findAt<Value>(
  text: string,
  start: number,
  sorted: readonly Entry<Value>[],
  found: Found<Value>,
): void {
  let low = 0
  let high = sorted.length
  for (let depth = 0; ; depth += 1) {
    const first = sorted[low]
    if (first?.[0].length === depth) {
      found(first[1], start, start + depth)
      low += 1
    }
    const code = text.charCodeAt(start + depth)
    low = boundOf(low, high, (at) => (sorted[at]?.[0].charCodeAt(depth) ?? 0) >= code)
    high = boundOf(low, high, (at) => (sorted[at]?.[0].charCodeAt(depth) ?? 0) > code)
    if (low === high) return
  }
}

/** The first index that is beyond; `high` if none is. */
function boundOf(low: number, high: number, isBeyond: (index: number) => boolean): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >> 1
    if (isBeyond(middle)) to = middle
    else from = middle + 1
  }
  return from
}
