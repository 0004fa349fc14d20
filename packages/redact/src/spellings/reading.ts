/** A text as it reads after something was decoded, with the place in the text each of its bytes comes from. */
export interface Reading {
  readonly bytes: Uint8Array
  readonly length: number
  /** Where byte `index` begins in the text below. */
  readonly placeOf: (index: number) => number
  /** Where byte `index` ends in the text below. What was left out behind it, as a quote of a shell, is not included. */
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

/** The part of a reading from one byte to another, in offsets of the text below. */
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
