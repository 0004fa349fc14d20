/** Letters, whatever their case, are the classes 0 to 25. */
export const DIGIT_CLASS = 26

/** The class of each byte: a letter, a digit, one of these groups of signs, or else `edge`, as the start and the end of a run. */
export interface CharacterClasses {
  readonly of: Uint8Array
  readonly edge: number
  readonly count: number
}

export function characterClasses(signs: readonly string[]): CharacterClasses {
  const edge = DIGIT_CLASS + 1 + signs.length
  const of = new Uint8Array(256).fill(edge)
  for (let letter = 0; letter < 26; letter += 1) {
    of[97 + letter] = letter
    of[65 + letter] = letter
  }
  for (let digit = 48; digit < 58; digit += 1) of[digit] = DIGIT_CLASS
  for (const [index, group] of signs.entries())
    for (const sign of group) of[sign.charCodeAt(0)] = DIGIT_CLASS + 1 + index
  return { of, edge, count: edge + 1 }
}

/** Bits of surprise row by row, from a table in quarters of a bit. */
export function pairBits(table: readonly string[]): Float64Array {
  return Float64Array.from(
    table.flatMap((row) => [...row].map((character) => (character.charCodeAt(0) - 48) / 4)),
  )
}

export const DIGIT_BITS = Math.log2(10)
