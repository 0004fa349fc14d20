import { CAPITAL_CHANCE, PAIR_SURPRISE, SIGNS } from './pair-surprise.ts'

/** Letters, whatever their case, are the classes 0 to 25. */
const DIGIT = 26
/** Anything without a class of its own, as the start and the end of a run. */
const EDGE = DIGIT + 1 + SIGNS.length
const CLASS_COUNT = EDGE + 1
const CLASS = classes()
/** Row by row, read from quarters of a bit. */
const PAIR = Float64Array.from(
  PAIR_SURPRISE.flatMap((row) => [...row].map((character) => (character.charCodeAt(0) - 48) / 4)),
)
const CAPITAL = CAPITAL_CHANCE.map((chance) => -Math.log2(chance))
const SMALL = CAPITAL_CHANCE.map((chance) => -Math.log2(1 - chance))
const DIGIT_BITS = Math.log2(10)

/** Part of a run, with the bits by which it is less likely as written than as random text. */
export interface Stretch {
  readonly start: number
  readonly end: number
  readonly bits: number
}

interface Weighing {
  /** Bits of one character of random text. */
  readonly randomBits: number
  /** Marks characters that say nothing for or against; null for none. */
  readonly neutral: Uint8Array | null
  /** A shorter stretch is passed over. */
  readonly lengthMin: number
}

/** The most surprising stretch of a run of ASCII characters; of no length and no bits where nothing surprises. */
export function mostSurprising(run: string, { randomBits, neutral, lengthMin }: Weighing): Stretch {
  // Names in capitals alone are as likely as those in small letters.
  const hasSmall = /[a-z]/.test(run)
  let most: Stretch = { start: 0, end: 0, bits: 0 }
  let before = EDGE
  /** Of what stands before: small letter, capital, digit, anything else. */
  let beforeKind = 3
  let bits = 0
  let start = 0
  for (let at = 0; at < run.length; at += 1) {
    const code = run.charCodeAt(at)
    const now = CLASS[code] ?? EDGE
    const kind = now < DIGIT ? (code < 97 && hasSmall ? 1 : 0) : now === DIGIT ? 2 : 3
    if (bits <= 0) {
      bits = 0
      start = at
    }
    if (neutral?.[at] !== 1) {
      bits += pairBits(before, now) - randomBits
      if (kind < 2) bits += (kind === 1 ? CAPITAL : SMALL)[hasSmall ? beforeKind : 0] ?? 0
      if (kind === 2) bits += DIGIT_BITS
    }
    if (bits > most.bits && at + 1 - start >= lengthMin) most = { start, end: at + 1, bits }
    before = now
    beforeKind = kind
  }
  return most
}

/** Bits a character that a run takes as written text, whatever its capitals. */
export function writtenBits(run: string): number {
  let before = EDGE
  let bits = 0
  for (let at = 0; at < run.length; at += 1) {
    const now = CLASS[run.charCodeAt(at)] ?? EDGE
    bits += pairBits(before, now)
    before = now
  }
  return bits / Math.max(1, run.length)
}

/** Marks what the pattern matches; null where that is nothing. */
export function marked(run: string, pattern: RegExp): Uint8Array | null {
  let marks: Uint8Array | null = null
  for (const { 0: part, index } of run.matchAll(pattern)) {
    marks ??= new Uint8Array(run.length)
    marks.fill(1, index, index + part.length)
  }
  return marks
}

function pairBits(before: number, now: number): number {
  return PAIR[before * CLASS_COUNT + now] ?? 0
}

function classes(): Uint8Array {
  const of = new Uint8Array(256).fill(EDGE)
  for (let letter = 0; letter < 26; letter += 1) {
    of[97 + letter] = letter
    of[65 + letter] = letter
  }
  for (let digit = 48; digit < 58; digit += 1) of[digit] = DIGIT
  for (const [index, sign] of [...SIGNS].entries()) of[sign.charCodeAt(0)] = DIGIT + 1 + index
  return of
}
