/** The same numbers for the same seed: a failure can be repeated. */
export interface Random {
  int(below: number): number
  pick<Item>(items: readonly Item[]): Item
  text(alphabet: string, length: number): string
  bytes(length: number): Buffer
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const int = (below: number) => Math.floor(next() * below)
  return {
    int,
    pick: (items) => items[int(items.length)] as (typeof items)[number],
    text: (alphabet, length) =>
      Array.from({ length }, () => alphabet[int(alphabet.length)]).join(''),
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(256))),
  }
}
