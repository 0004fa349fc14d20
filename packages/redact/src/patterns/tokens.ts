import { characterClasses, DIGIT_BITS, DIGIT_CLASS, pairBits } from './character-classes.ts'
import { CAPITAL_CHANCE, PAIR_SURPRISE } from './pair-surprise.ts'

/** A shorter text may be a word, a date or an identifier, whatever it looks like. */
const LENGTH_MIN = 20
/** Capitals, small letters and digits in one are rare in names. */
const LENGTH_MIN_MIXED = 18
/**
 * A text counts as random when it is less likely as a name than as a random text by this many bits. Of 20,000 random texts of
 * each kind at most a few are missed, all of them of 20 letters.
 */
const SURPRISE_MIN = { withDigits: 0.5, letters: 3, camelCase: 8 } as const
/** A text in which letters and digits take turns as often as this was drawn. */
const ALTERNATIONS_MIN = 4
/** The surprising part of a piece is at least this long: a number in a name is shorter. */
const STRETCH_MIN = 10
/** A text of fewer characters than this is a ruler, as `-=-=-=`. */
const DISTINCT_MIN = 5
/** Only the beginning of a long piece is weighed. */
const WEIGHED_LENGTH = 4096

const { of: SYMBOL, edge: EDGE, count: SYMBOL_COUNT } = characterClasses(['-_', '/.:~', '+='])
const PAIR = pairBits(PAIR_SURPRISE)
const bitsOf = (chance: number) => -Math.log2(chance)
const CAPITAL = CAPITAL_CHANCE.map(bitsOf)
const SMALL = CAPITAL_CHANCE.map((chance) => bitsOf(1 - chance))

/** True for a run of letters, digits and `+=_-` that was drawn rather than written; `length` also counts what was left out of `run`. */
export function isRandomText(run: string, length = run.length): boolean {
  if (length < LENGTH_MIN && (length < LENGTH_MIN_MIXED || !isMixed(run))) return false
  if (/^[0-9a-fA-F]+$/.test(run)) return isRandomHex(run)
  if (/^[0-9.:,_-]+$/.test(run)) return /^\d{20,}$/.test(run) && !/^(\d)\1+$/.test(run)
  if (isJoinedWords(run) || new Set(run.slice(0, WEIGHED_LENGTH)).size < DISTINCT_MIN) return false
  return (
    alternationsIn(run) >= ALTERNATIONS_MIN ||
    surpriseOf(run.slice(0, WEIGHED_LENGTH)) >= leastSurpriseOf(run)
  )
}

function isMixed(run: string): boolean {
  return /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run)
}

function leastSurpriseOf(run: string): number {
  if (/^[A-Za-z]?[a-z]{2,14}(?:[A-Z][a-z]{2,14})+$/.test(run)) return SURPRISE_MIN.camelCase
  return /\d/.test(run) ? SURPRISE_MIN.withDigits : SURPRISE_MIN.letters
}

const WORDS_LENGTH_MAX = 160
const CAMEL_CASE = /^(?:[A-Z]?[a-z]{2,14})(?:[A-Z][a-z]{2,14}){1,3}$/
const WORD =
  /^(?:(?:[A-Z]?[a-z]{0,14}|[A-Z]{1,14}|v)\d{0,2}|\d{1,14}|[A-Za-z0-9]{1,3}|(?=[a-f]{0,15}\d)[0-9a-f]{6,16})$/

/** Words, numbers and short hexadecimal identifiers, joined by dashes and the like. */
export function isJoinedWords(run: string): boolean {
  return (
    run.length <= WORDS_LENGTH_MAX &&
    run
      .split(/[-_=+]+/)
      .every((part) => WORD.test(part) || (CAMEL_CASE.test(part) && readsLikeWords(part)))
  )
}

/** How often letters and digits take turns within one part of the run; a name has few. */
function alternationsIn(run: string): number {
  let most = 0
  for (const part of run.slice(0, WEIGHED_LENGTH).split(/[-_=+]+/)) {
    if (part.length >= LENGTH_MIN)
      most = Math.max(most, part.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g)?.length ?? 0)
  }
  return most
}

/** True for hexadecimal digits, unless the same few are repeated. */
function isRandomHex(run: string): boolean {
  return new Set(run.toLowerCase()).size > 4
}

/** By how many bits a stretch of the text is less likely as a name than as a random text of the same alphabet; of all stretches the most. */
function surpriseOf(run: string): number {
  const randomBits = bitsOfAlphabet(run)
  const hasSmall = /[a-z]/.test(run)
  const identifiers = shortHexIn(run)
  let before = EDGE
  let beforeClass = 3
  let sum = 0
  let start = 0
  let most = 0
  for (let index = 0; index < run.length; index += 1) {
    const code = run.charCodeAt(index)
    const symbol = SYMBOL[code] ?? EDGE
    const isCapital = code >= 65 && code <= 90
    if (identifiers === null || identifiers[index] === 0) {
      let bits = PAIR[before * SYMBOL_COUNT + symbol] ?? 0
      // Names in capitals alone are as likely as those in small letters.
      if (symbol < DIGIT_CLASS)
        bits += (isCapital && hasSmall ? CAPITAL : SMALL)[hasSmall ? beforeClass : 0] ?? 0
      else bits += symbol === DIGIT_CLASS ? DIGIT_BITS : 1
      if (sum <= 0) {
        sum = 0
        start = index
      }
      sum += bits - randomBits
      if (sum > most && index + 1 - start >= STRETCH_MIN) most = sum
    }
    before = symbol
    beforeClass = symbol < DIGIT_CLASS ? (isCapital ? 1 : 0) : symbol === DIGIT_CLASS ? 2 : 3
  }
  return most
}

/** A written name takes at most this many bits a character, on average. */
const WRITTEN_BITS_MAX = 4.5

/** True for a part of a path or name that reads like words. It is not reliable for short ones. */
export function readsLikeWords(part: string): boolean {
  let before = EDGE
  let bits = 0
  for (let index = 0; index < part.length; index += 1) {
    const symbol = SYMBOL[part.charCodeAt(index)] ?? EDGE
    bits += (PAIR[before * SYMBOL_COUNT + symbol] ?? 0) + (symbol === DIGIT_CLASS ? 1 : 0)
    before = symbol
  }
  return bits <= WRITTEN_BITS_MAX * part.length
}

function bitsOfAlphabet(run: string): number {
  const hasDigits = /\d/.test(run)
  if (/[a-z]/.test(run) && /[A-Z]/.test(run)) return Math.log2(62)
  if (!hasDigits) return Math.log2(26)
  return /^[0-9a-fA-F_-]+$/.test(run) ? 4 : Math.log2(36)
}

/** Marks short hexadecimal parts of a name (`codex-1a2b3c4d-ana`, a hash in the name of a file): they are identifiers. Null when there are none. */
function shortHexIn(run: string): Uint8Array | null {
  if (!/[-_.~]/.test(run)) return null
  let marks: Uint8Array | null = null
  for (const { 0: part, index } of run.matchAll(
    /(?<![A-Za-z0-9])(?=[a-f]{0,15}\d)[0-9a-f]{6,16}(?![A-Za-z0-9])/g,
  )) {
    marks ??= new Uint8Array(run.length)
    marks.fill(1, index, index + part.length)
  }
  return marks
}
