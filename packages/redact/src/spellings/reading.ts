/** A decoded text, with the place of each of its bytes in the text it was decoded from. */
export interface Reading {
  readonly bytes: Uint8Array
  readonly length: number
  /** Start of byte `index` in the source text. */
  readonly placeOf: (index: number) => number
  /** End of byte `index` in the source text. Excludes characters dropped after it, such as a shell quote. */
  readonly endOf: (index: number) => number
}

export function plainReading(text: string): Reading {
  return {
    bytes: Buffer.from(text, 'latin1'),
    length: text.length,
    placeOf: (index) => index,
    endOf: (index) => index + 1,
  }
}

/** Offsets in the source text of the part between two bytes. */
export function placeIn(
  { placeOf, endOf }: Reading,
  from: number,
  to: number,
): readonly [number, number] {
  return from === to ? [placeOf(from), placeOf(from)] : [placeOf(from), endOf(to - 1)]
}

export function textOfReading({ bytes, length }: Reading): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('latin1')
}
