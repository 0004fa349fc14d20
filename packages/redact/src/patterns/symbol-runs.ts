import type { Span } from '../span.ts'
import { SIGNS } from './pair-surprise.ts'
import { bytesAmong, stretchesOf } from './stretches.ts'
import { marked, mostSurprising, type Stretch } from './surprise.ts'

const SMALL_LETTERS = 'abcdefghijklmnopqrstuvwxyz'
/** Every printable character except blanks, quotes and backslashes. */
const RUN = bytesAmong(`${SMALL_LETTERS}${SMALL_LETTERS.toUpperCase()}0123456789${SIGNS}`)
const LENGTH_MIN = 20
/** Length of the parts in which a long run is weighed. */
const WEIGHED_LENGTH = 512
/**
 * A text counts as random when it is less likely as code, an address or a line of a log than as random text by this many bits.
 * Random text of 20 characters has about 60.
 */
const SURPRISE_MIN = 18
/** Bits of one character of random text: letters, digits and some signs. */
const RANDOM_BITS = 6.3
/** A shorter surprising stretch is passed over. */
const STRETCH_MIN = 10
/** Text between a name and the stretch. */
const SETTING_BEFORE = /[=:][^=:]{0,8}$/
/** Characters at either end of a random text that may look written. */
const MARGIN = 8
/** Letters, digits and these signs alone are weighed elsewhere. */
const WITHOUT_SYMBOLS = /^[A-Za-z0-9+/_-]*$/
/** Scheme, user and host of an address, which are read elsewhere. */
const AUTHORITY = /^(?:jdbc:.*@[\w.:-]*|.*?:\/\/[^/?#]*)/
/** Instants, versions, checksums, identifiers, hashes and percent-encoded characters: each is weighed elsewhere or tells nothing. */
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

/** Finds random texts of letters, digits and symbols, as password generators make them. */
export function symbolRunsIn(text: string): Span[] {
  return stretchesOf(text, RUN, LENGTH_MIN).flatMap(({ start, end }) => {
    const spans: Span[] = []
    const from =
      start +
      (AUTHORITY.exec(text.slice(start, Math.min(end, start + WEIGHED_LENGTH)))?.[0].length ?? 0)
    for (let at = from; end - at >= LENGTH_MIN; at += WEIGHED_LENGTH) {
      const run = text.slice(at, Math.min(end, at + WEIGHED_LENGTH))
      if (WITHOUT_SYMBOLS.test(run)) continue
      const found = mostSurprising(run, {
        randomBits: RANDOM_BITS,
        neutral: marked(run, NEUTRAL),
        lengthMin: STRETCH_MIN,
      })
      if (found.bits < SURPRISE_MIN) continue
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

/** The whole random text around a stretch: its ends may look as written as the text before and after it. */
function wholeOf(run: string, { start, end }: Stretch): Pick<Stretch, 'start' | 'end'> {
  const setting = SETTING_BEFORE.exec(run.slice(0, start))
  const isMost = 2 * (end - start) >= run.length
  return {
    start: setting !== null ? setting.index + 1 : isMost || start <= MARGIN ? 0 : start,
    end: isMost || run.length - end <= MARGIN ? run.length : end,
  }
}
