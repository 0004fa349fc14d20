import { randomFrom } from '@svc/core/testing'

/** The same numbers for the same seed: a failure can be repeated. */
export interface Random {
  int(below: number): number
  pick<Item>(items: readonly Item[]): Item
  text(alphabet: string, length: number): string
  bytes(length: number): Buffer
}

export function createRandom(seed: number): Random {
  const next = randomFrom(seed)
  const int = (below: number) => Math.floor(next() * below)
  return {
    int,
    pick: (items) => items[int(items.length)] as (typeof items)[number],
    text: (alphabet, length) =>
      Array.from({ length }, () => alphabet[int(alphabet.length)]).join(''),
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(256))),
  }
}
