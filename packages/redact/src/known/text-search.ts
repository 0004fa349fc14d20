/** Length of the shortest text that is found: most places are ruled out by their first characters. */
export const STEM_LENGTH = 4

/** Number of the stem that ends at a character, from that of the character before; few stems share one. */
function stemAt(before: number, text: string, at: number): number {
  const code = text.charCodeAt(at)
  return (before << 8) | ((code ^ (code >> 8)) & 255)
}

interface Entry<Value> {
  readonly text: string
  readonly value: Value
  /** The longest other text with which this one begins. */
  readonly beginning: Entry<Value> | undefined
}

/** Finds every occurrence of any of the texts, which lead to values, in time that hardly depends on their number. */
export function createTextSearch<Value>(values: ReadonlyMap<string, Value>) {
  /** Sorted: of the texts before a place, those that begin like it are the last one and what that begins with. */
  const byStem = new Map<number, Entry<Value>[]>()
  /** Not 0 for the last 16 bits of a stem: a look at it is quicker than one at the map. */
  const isEnd = new Uint8Array(2 ** 16)
  for (const [text, value] of [...values].sort(([one], [other]) => (one < other ? -1 : 1))) {
    let stem = 0
    for (let at = 0; at < STEM_LENGTH; at += 1) stem = stemAt(stem, text, at)
    const sorted = byStem.get(stem) ?? []
    byStem.set(stem, sorted)
    isEnd[stem & 0xffff] = 1
    let beginning = sorted.at(-1)
    while (beginning !== undefined && !text.startsWith(beginning.text))
      beginning = beginning.beginning
    sorted.push({ text, value, beginning })
  }
  return (text: string, found: (value: Value, start: number, end: number) => void): void => {
    let stem = 0
    for (let at = 0; at < text.length; at += 1) {
      stem = stemAt(stem, text, at)
      const sorted = isEnd[stem & 0xffff] === 0 ? undefined : byStem.get(stem)
      const start = at + 1 - STEM_LENGTH
      if (sorted === undefined || start < 0) continue
      let entry = lastUpTo(text.slice(start), sorted)
      for (; entry !== undefined; entry = entry.beginning)
        if (text.startsWith(entry.text, start)) found(entry.value, start, start + entry.text.length)
    }
  }
}

/** The last entry that is not behind the text; undefined if all are. */
function lastUpTo<Value>(text: string, sorted: readonly Entry<Value>[]): Entry<Value> | undefined {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle]?.text ?? '') > text) high = middle
    else low = middle + 1
  }
  return sorted[low - 1]
}
