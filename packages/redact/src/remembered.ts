/** A copy of the text in its own memory: a substring keeps the whole original string in memory. */
export function ownCopy(text: string): string {
  return ` ${text}`.slice(1)
}

const REMEMBERED_MAX = 5_000

/** The function with its results remembered, because texts repeat. A text longer than `lengthMax` is worked on each time. */
export function remembering<Result>(lengthMax: number, work: (text: string) => Result) {
  const remembered = new Map<string, Result>()
  return (text: string): Result => {
    const before = remembered.get(text)
    if (before !== undefined || text.length > lengthMax) return before ?? work(text)
    const result = work(text)
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    remembered.set(ownCopy(text), result)
    return result
  }
}
