import { marked, mostSurprising, writtenBits } from './surprise.ts'

/** A shorter text may be a word, a date or an identifier. */
const LENGTH_MIN = 20
/** Minimum for a mix of capitals, small letters and digits, which is rare in names. */
const LENGTH_MIN_MIXED = 18
/**
 * A text counts as random when it is less likely as a name than as a random text by this many bits. Of 20,000 random texts of
 * each kind at most a few are missed, all of them of 20 letters.
 */
const SURPRISE_MIN = { withDigits: 0.5, letters: 3, camelCase: 8 } as const
/** Random text alternates between letters and digits at least this often. */
const ALTERNATIONS_MIN = 4
/** Shortest surprising part of a piece: a number in a name is shorter. */
const STRETCH_MIN = 10
/** A text with fewer distinct characters is a ruler, such as `-=-=-=`. */
const DISTINCT_MIN = 5
/** Only the beginning of a long piece is weighed. */
const WEIGHED_LENGTH = 4096

/** Short hexadecimal parts of a name (`codex-1a2b3c4d-ana`, a hash in a file name), which are identifiers. */
const SHORT_HEX = /(?<![A-Za-z0-9])(?=[a-f]{0,15}\d)[0-9a-f]{6,16}(?![A-Za-z0-9])/g

/** True for a run of letters, digits and `+=_-` that is random rather than written; `length` includes characters left out of `run`. */
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

/** True for words, numbers and short hexadecimal identifiers, joined by dashes and the like. */
export function isJoinedWords(run: string): boolean {
  return (
    run.length <= WORDS_LENGTH_MAX &&
    run
      .split(/[-_=+]+/)
      .every((part) => WORD.test(part) || (CAMEL_CASE.test(part) && readsLikeWords(part)))
  )
}

/** Highest number of changes between letters and digits within one part of the run; low in a name. */
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

/** Bits by which the most surprising stretch of the text is less likely as a name than as random text of the same alphabet. */
function surpriseOf(run: string): number {
  return mostSurprising(run, {
    randomBits: bitsOfAlphabet(run),
    neutral: /[-_.~]/.test(run) ? marked(run, SHORT_HEX) : null,
    lengthMin: STRETCH_MIN,
  }).bits
}

/** Most bits per character of a written name, on average. */
const WRITTEN_BITS_MAX = 4.5

/** True for a part of a path or name that reads like words. Unreliable for short parts. */
export function readsLikeWords(part: string): boolean {
  return writtenBits(part) <= WRITTEN_BITS_MAX
}

function bitsOfAlphabet(run: string): number {
  const hasDigits = /\d/.test(run)
  if (/[a-z]/.test(run) && /[A-Z]/.test(run)) return Math.log2(62)
  if (!hasDigits) return Math.log2(26)
  return /^[0-9a-fA-F_-]+$/.test(run) ? 4 : Math.log2(36)
}
