/** A text as it reads after something was decoded, with the place in the text each of its bytes comes from. */
export interface Reading {
  readonly bytes: Uint8Array
  readonly length: number
  /** Where byte `index` begins in the text below; of `length` where the last one ends. */
  readonly placeOf: (index: number) => number
}

export function plainReading(text: string): Reading {
  return { bytes: Buffer.from(text, 'latin1'), length: text.length, placeOf: (index) => index }
}

/** The part of a reading from one byte to another, in offsets of the text below. */
export function placeIn({ placeOf }: Reading, from: number, to: number): readonly [number, number] {
  return [placeOf(from), placeOf(to)]
}

export function textOfReading({ bytes, length }: Reading): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('latin1')
}
