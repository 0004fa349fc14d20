/** A text as it reads after something was decoded, with the place in the text each of its bytes comes from. */
export interface Reading {
  readonly bytes: Uint8Array
  readonly length: number
  /** Where byte `i` begins in the text below; `starts[length]` is where the last one ends. Null where the two are the same. */
  readonly starts: Int32Array | null
}

export function plainReading(text: string): Reading {
  return { bytes: Buffer.from(text, 'latin1'), length: text.length, starts: null }
}

/** The part of a reading from one byte to another, in offsets of the text below. */
export function placeIn({ starts }: Reading, from: number, to: number): readonly [number, number] {
  return starts === null ? [from, to] : [starts[from] ?? 0, starts[to] ?? 0]
}

export function textOfReading({ bytes, length }: Reading): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('latin1')
}
