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
  for (const [text, value] of [...values].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const sorted = byStem.get(stemOf(text, 0)) ?? []
    byStem.set(stemOf(text, 0), sorted)
    let beginning = sorted.at(-1)
    while (beginning !== undefined && !text.startsWith(beginning.text))
      beginning = beginning.beginning
    sorted.push({ text, value, beginning })
  }
  return (text: string, found: (value: Value, start: number, end: number) => void): void => {
    for (let start = 0; start + STEM_LENGTH <= text.length; start += 1) {
      const sorted = byStem.get(stemOf(text, start))
      let entry = sorted === undefined ? undefined : lastUpTo(text.slice(start), sorted)
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
