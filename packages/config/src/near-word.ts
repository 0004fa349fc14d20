/** Letters per tolerated typing mistake. */
const LETTERS_PER_SLIP = 3

/** The candidate probably meant by a mistyped word; null if none is similar. Case, `-` and `_` make no difference. */
export function nearestWord(word: string, candidates: readonly string[]): string | null {
  const plain = (text: string) => text.toLowerCase().replaceAll('-', '_')
  const near = candidates
    .map((candidate) => ({ candidate, slips: slipsBetween(plain(word), plain(candidate)) }))
    .filter(
      ({ candidate, slips }) => slips <= Math.max(word.length, candidate.length) / LETTERS_PER_SLIP,
    )
  return near.sort((a, b) => a.slips - b.slips)[0]?.candidate ?? null
}

/** Number of missing, extra, wrong or swapped letters. */
function slipsBetween(a: string, b: string): number {
  let older: readonly number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1])
      const swapped =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (older[j - 2] ?? 0) + 1 : changed
      next.push(Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    older = row
    row = next
  }
  return row[b.length] ?? 0
}
