import type { Span } from '../span.ts'
import { characterClasses, DIGIT_BITS, DIGIT_CLASS, pairBits } from './character-classes.ts'
import {
  PRINTED_CAPITAL_CHANCE,
  PRINTED_PAIR_SURPRISE,
  PRINTED_SIGNS,
} from './printed-pair-surprise.ts'
import { bytesAmong, stretchesOf } from './stretches.ts'

const SMALL_LETTERS = 'abcdefghijklmnopqrstuvwxyz'
/** Everything that is printed but blanks, quotes and backslashes. */
const RUN = bytesAmong(`${SMALL_LETTERS}${SMALL_LETTERS.toUpperCase()}0123456789${PRINTED_SIGNS}`)
const LENGTH_MIN = 20
/** A long run is weighed in parts of this length. */
const WEIGHED_LENGTH = 512
/**
 * A text counts as random when it is less likely as code, an address or a line of a log than as random text by this many bits.
 * Random text of 20 characters has about 60.
 */
const SURPRISE_MIN = 18
/** Bits of one character of random text: letters, digits and some signs. */
const RANDOM_BITS = 6.3
/** A surprising stretch that is shorter is passed over. */
const STRETCH_MIN = 10
/** What stands between a name and the stretch. */
const SETTING_BEFORE = /[=:][^=:]{0,8}$/
/** At either end of a random text a few characters may look written. */
const MARGIN = 8
/** Letters, digits and these alone are weighed elsewhere. */
const WITHOUT_SYMBOLS = /^[A-Za-z0-9+/_-]*$/
/** The scheme, user and host of an address, which are read elsewhere. */
const AUTHORITY = /^(?:jdbc:.*@[\w.:-]*|.*?:\/\/[^/?#]*)/
/** Instants, versions, checksums, identifiers and hashes, and characters as addresses write them: each is weighed elsewhere or says nothing. */
const NEUTRAL = new RegExp(
  [
    String.raw`\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?`,
    String.raw`\d+(?:[.:~+_-](?:[a-z]{1,8}\d{0,8}[a-z]{0,2}\d{0,4}|\d{1,14}[a-z]{0,4}\d{0,4})){2,}`,
    'sha(?:256|384|512)-[A-Za-z0-9+/]+={0,2}',
    '(?<![A-Za-z0-9])(?:[0-9a-f]{6,}|[0-9A-F]{6,})(?![A-Za-z0-9])',
    '%[0-9A-F]{2}',
  ].join('|'),
  'g',
)

/** Random texts of letters, digits and symbols, as generators of passwords make them. */
export function symbolRunsIn(text: string): Span[] {
  return stretchesOf(text, RUN, LENGTH_MIN).flatMap(({ start, end }) => {
    const spans: Span[] = []
    const from =
      start +
      (AUTHORITY.exec(text.slice(start, Math.min(end, start + WEIGHED_LENGTH)))?.[0].length ?? 0)
    for (let at = from; end - at >= LENGTH_MIN; at += WEIGHED_LENGTH) {
      const run = text.slice(at, Math.min(end, at + WEIGHED_LENGTH))
      const found = WITHOUT_SYMBOLS.test(run) ? null : mostSurprising(run)
      if (found === null || found.bits < SURPRISE_MIN || found.end - found.start < STRETCH_MIN)
        continue
      const whole = wholeOf(run, found)
      const [first, last] = [at + whole.start, at + whole.end]
      spans.push({
        start: first,
        end: last,
        kind: 'secret',
        value: text.slice(first, last),
        certainty: 'shape',
      })
    }
    return spans
  })
}

/** The random text that the stretch is of: its ends may look written, as what stands before and after it does. */
function wholeOf(run: string, { start, end }: Stretch): Pick<Stretch, 'start' | 'end'> {
  const setting = SETTING_BEFORE.exec(run.slice(0, start))
  const isMost = 2 * (end - start) >= run.length
  return {
    start: setting !== null ? setting.index + 1 : isMost || start <= MARGIN ? 0 : start,
    end: isMost || run.length - end <= MARGIN ? run.length : end,
  }
}

const { of: CLASS, edge: EDGE, count: CLASS_COUNT } = characterClasses([...PRINTED_SIGNS])
const PAIR = pairBits(PRINTED_PAIR_SURPRISE)
const CAPITAL = PRINTED_CAPITAL_CHANCE.map((chance) => -Math.log2(chance))
const SMALL = PRINTED_CAPITAL_CHANCE.map((chance) => -Math.log2(1 - chance))

interface Stretch {
  readonly start: number
  readonly end: number
  readonly bits: number
}

/** The stretch that is less likely as code than as random text by the most bits. */
function mostSurprising(run: string): Stretch {
  const neutral = neutralIn(run)
  let most: Stretch = { start: 0, end: 0, bits: 0 }
  let before = EDGE
  /** Of what stands before: small letter, capital, digit, anything else. */
  let beforeKind = 3
  let bits = 0
  let start = 0
  for (let at = 0; at < run.length; at += 1) {
    const code = run.charCodeAt(at)
    const now = CLASS[code] ?? EDGE
    const kind = now < DIGIT_CLASS ? (code < 97 ? 1 : 0) : now === DIGIT_CLASS ? 2 : 3
    if (bits <= 0) {
      bits = 0
      start = at
    }
    if (neutral?.[at] !== 1) {
      bits += (PAIR[before * CLASS_COUNT + now] ?? 0) - RANDOM_BITS
      if (kind < 2) bits += (kind === 1 ? CAPITAL : SMALL)[beforeKind] ?? 0
      if (kind === 2) bits += DIGIT_BITS
    }
    if (bits > most.bits) most = { start, end: at + 1, bits }
    before = now
    beforeKind = kind
  }
  return most
}

/** Marks what says nothing for or against; null where there is none. */
function neutralIn(run: string): Uint8Array | null {
  let marks: Uint8Array | null = null
  for (const { 0: part, index } of run.matchAll(NEUTRAL)) {
    marks ??= new Uint8Array(run.length)
    marks.fill(1, index, index + part.length)
  }
  return marks
}
