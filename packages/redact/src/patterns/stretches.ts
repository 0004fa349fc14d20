export interface Stretch {
  readonly start: number
  readonly end: number
}

/** A set of byte values. */
export function bytesAmong(characters: string): Uint8Array {
  const among = new Uint8Array(256)
  for (const character of characters) among[character.charCodeAt(0)] = 1
  return among
}

/** Stretches of these bytes that are long enough. Shorter ones are stepped over without being looked at byte by byte. */
export function stretchesOf(
  text: string,
  among: Uint8Array,
  lengthMin: number,
): readonly Stretch[] {
  const found: Stretch[] = []
  for (let probe = lengthMin - 1, from = 0; probe < text.length; probe += lengthMin) {
    if (among[text.charCodeAt(probe) & 255] === 0) continue
    let start = probe
    while (start > from && among[text.charCodeAt(start - 1) & 255] === 1) start -= 1
    let end = probe + 1
    while (end < text.length && among[text.charCodeAt(end) & 255] === 1) end += 1
    if (end - start >= lengthMin) found.push({ start, end })
    from = end
    probe = end - 1
  }
  return found
}
