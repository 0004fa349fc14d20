import type { Span } from '../pseudonyms.ts'
import { commonWords } from '../vocabulary/common-words.ts'
import { chinesePairs, productWords } from '../vocabulary/product-words.ts'

const WORDS: ReadonlySet<string> = new Set(`${commonWords} ${productWords}`.trim().split(/\s+/))
const PAIRS: ReadonlySet<string> = new Set(chinesePairs.replace(/\s/g, '').match(/../gu))

/** A word or number within a name: `quotaWindows`, `HTTPServer`, `window2`. */
const PARTS = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g
const PARTS_MAX = 6
const HAN = /^\p{Script=Han}+$/u

/** True for harmless letters and digits: a word of the vocabulary, or several words joined as in a name. */
export function isHarmlessWord(atom: string): boolean {
  if (WORDS.has(atom.toLowerCase())) return true
  if (HAN.test(atom)) return isChinese(atom)
  const parts = atom.match(PARTS)
  if (parts === null || parts.length < 2 || parts.length > PARTS_MAX) return false
  const words = parts.filter((part) => !/^\d/.test(part))
  return (
    parts.length - words.length <= 1 &&
    parts.every((part) => !/^\d{3}/.test(part)) &&
    parts.join('') === atom &&
    words.filter(({ length }) => length < 3).length <= Math.max(1, words.length / 3) &&
    words.some(({ length }) => length > 3) &&
    words.every((word) => WORDS.has(word.toLowerCase()))
  )
}

function isChinese(text: string): boolean {
  for (let at = 0; at + 1 < text.length; at += 1)
    if (!PAIRS.has(text.slice(at, at + 2))) return false
  return text.length > 1 || chinesePairs.includes(text)
}

const LETTERS = '[\\p{L}\\p{M}\\p{N}\\ufffd]'
const NOT_JOINED = `(?!${LETTERS})`
const UNIT =
  'ns|us|µs|μs|ms|s|secs?|m|mins?|h|hours?|d|days?|w|y|[kKMGT]i?B?|B|bytes?|x|px|tok|req|[kMG]?Hz|th|st|nd|rd|Z|z'

/** Instants, dates, times and versions; they are harmless and count as words. */
const PLAIN = [
  '\\d{4}[-/]\\d\\d[-/]\\d\\d(?:[T_]\\d\\d[:h]?\\d\\d(?::?\\d\\d(?:[.,]\\d{1,9})?)?(?:Z|[+-]\\d\\d:?\\d\\d)?)?',
  '(?:20\\d{6}T\\d{6}Z?|20[0-3]\\d(?:0\\d|1[0-2])(?:[0-2]\\d|3[01]))',
  '\\d{1,2}/[A-Z][a-z]{2}/\\d{4}(?::\\d\\d:\\d\\d:\\d\\d)?',
  '\\d{1,2}:\\d\\d(?::\\d\\d(?:[.,]\\d{1,9})?)?(?:Z|[+-]\\d\\d:?\\d\\d)?(?!:)',
  // Seconds, milliseconds, microseconds and nanoseconds since 1970, from 2014 to 2033.
  '1[4-9]\\d{8}(?:\\d{3}){0,3}(?:\\.\\d{1,9})?',
  '127\\.0\\.0\\.\\d{1,3}(?!\\.\\d)|0\\.0\\.0\\.0(?!\\.\\d)',
  'v?\\d{1,4}\\.\\d{1,5}\\.\\d{1,5}(?!\\.\\d)',
  '[dlbcps]?(?:[r-][w-][xsStT-]){3}',
].map((shape) => `(?:${shape})${NOT_JOINED}`)

/** Network addresses and identifiers; each is hidden as a whole. */
const FOREIGN = [
  '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}',
  '\\d{1,3}(?:\\.\\d{1,3}){3,15}',
  '[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){3,31}',
  '(?=[0-9A-Fa-f:]{0,40}\\d)[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{0,4}){3,7}',
  '(?=[0-9A-Fa-f:]{0,40}\\d)[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,7}::(?:[0-9A-Fa-f]{1,4}:?){0,7}',
].map((shape) => `(?:${shape})${NOT_JOINED}`)

/** A duration with several units, the largest first: `1h30m`. */
const DURATION = `(?=\\d)${['w', 'd', 'h', 'm', 's', 'ms', '[nuµμ]s'].map((unit) => `(?:\\d{1,9}(?:\\.\\d{1,9})?${unit})?`).join('')}${NOT_JOINED}`
const NUMBER = `v?\\d{1,9}(?:\\.\\d{1,17})?(?:[eE][+-]?\\d{1,3})?(?:${UNIT})?${NOT_JOINED}|${DURATION}`
/** A single letter, optionally with a short number: `x`, `v1`, `p95`. */
const LETTER = `[A-Za-z]\\d{0,3}${NOT_JOINED}`
const BREAK = '\\\\{1,4}[nrtbfv](?![\\d])'
const ESCAPE =
  '\\\\{1,4}(?:u\\{?[0-9A-Fa-f]{4,6}\\}?|x[0-9A-Fa-f]{2}|[0-3][0-7]{2})|%(?:25){0,4}[0-9A-Fa-f]{2}|%u[0-9A-Fa-f]{4}|&#[xX]?[0-9A-Fa-f]{1,7}|&[A-Za-z]{2,8}(?=;)'

const TOKEN = new RegExp(
  `(?<plain>${PLAIN.join('|')})|(?<foreign>${FOREIGN.join('|')})|(?<weak>${NUMBER}|${LETTER})|(?<between>${BREAK})|(?<escaped>${ESCAPE})|(?<atom>${LETTERS}+)`,
  'gu',
)

/**
 * A part of a run. `word`: known to be harmless. `weak`: a letter or a number, harmless alone but hidden next to a hidden part. `between`: an escape
 * of a separator.
 */
interface Part {
  readonly start: number
  readonly end: number
  readonly is: 'word' | 'weak' | 'between' | 'foreign'
}

/** Special characters as no path, query, assignment, version or time has them. */
const STRANGE = /[$^!*~]|%(?![0-9A-Fa-f]{2})|^[+&?=@#]/

/** Matches runs, which are separated by blanks, quotes and brackets, among others. */
export const RUN = /(?:&#?\w{1,6};|[^\s"'`,;(){}[\]<>|])+/g

/**
 * The parts to hide in a run of text without blanks, quotes and brackets: everything that is not known to be harmless, and the letters, numbers and
 * signs that belong to it.
 */
export function hiddenIn(run: string, isHarmless = isHarmlessWord): readonly Span[] {
  const parts = partsOf(run, isHarmless)
  const spans: Span[] = []
  let group: Part[] = []
  const endGroup = () => {
    const span = hiddenOf(group, run)
    if (span !== null) spans.push(span)
    group = []
  }
  for (const part of parts) {
    if (part.is === 'word') endGroup()
    else group.push(part)
  }
  endGroup()
  const [first] = spans
  if (first === undefined) return oddWhole(parts, run, 2)
  const whole = STRANGE.test(run) ? oddWhole(parts, run, 4) : []
  if (whole.length > 0) return whole
  if (!isMostlyForeign(parts, run)) return spans
  const last = parts.findLast(({ is }) => is !== 'weak')
  return [{ ...first, end: Math.max(first.end, last?.end ?? 0) }]
}

function partsOf(run: string, isHarmless: typeof isHarmlessWord): readonly Part[] {
  const parts: Part[] = []
  for (const match of run.matchAll(TOKEN)) {
    const [text] = match
    const { plain, weak, between, escaped, atom } = match.groups ?? {}
    const is =
      plain !== undefined || (atom !== undefined && isHarmless(atom))
        ? 'word'
        : weak !== undefined
          ? weakOf(text)
          : between !== undefined || (escaped !== undefined && standsForSign(escaped))
            ? 'between'
            : 'foreign'
    parts.push({ start: match.index, end: match.index + text.length, is })
  }
  return parts
}

/** Kind of a number: `word` for a short number with a unit. An exponent is not a unit, and eight digits with a `d` may be part of a key. */
function weakOf(text: string): Part['is'] {
  return /^\d{1,5}(?:\.\d+)?(?![eE][+-]?\d)[A-Za-zµμ]/.test(text) ? 'word' : 'weak'
}

/** True for an escape of a blank or of a special character, escaped once. */
function standsForSign(text: string): boolean {
  if (/^&[A-Za-z]/.test(text)) return /^&(?:amp|lt|gt|quot|apos|nbsp)$/.test(text)
  const digits = /^(?:\\u\{?|\\x|%|&#[xX]?)([0-9A-Fa-f]+)\}?$/.exec(text)?.[1]
  if (digits === undefined) return false
  const code = Number.parseInt(digits, /^&#\d/.test(text) ? 10 : 16)
  return code < 0x80 && !/[A-Za-z0-9]/.test(String.fromCharCode(code))
}

/** The part to hide between two words; null if there is none. */
function hiddenOf(group: readonly Part[], run: string): Span | null {
  const from = group.findIndex(({ is }) => is !== 'between')
  const to = group.findLastIndex(({ is }) => is !== 'between')
  const parts = group.slice(from, to + 1)
  const first = parts[0]
  const last = parts.at(-1)
  if (first === undefined || last === undefined) return null
  if (!parts.some(({ is }) => is === 'foreign'))
    return isOdd(parts, run) ? between(first, last) : null
  // A number behind a name or an address: `rate=12`, `host:8317`.
  const before = parts.at(-2)
  const isApart =
    before?.is === 'foreign' && /^[:=]\d{1,6}(?:\.\d+)?$/.test(run.slice(before.end, last.end))
  return between(first, isApart ? before : last)
}

function between(first: Part, last: Part): Span {
  return { start: first.start, end: last.end, kind: 'hidden' }
}

/** True for letters and numbers mixed with several kinds of special characters, as in passwords. */
function isOdd(parts: readonly Part[], run: string): boolean {
  const first = parts[0]?.start ?? 0
  const text = run.slice(first, parts.at(-1)?.end)
  const letters = parts.filter(({ start }) => /[A-Za-z]/.test(run[start] ?? '')).length
  const signs = new Set(text.replace(/[A-Za-z0-9]/g, ''))
  return parts.length > 2 && letters > 0 && signs.size > 1
}

/** The whole run, if none of its words is longer than `wordMax` characters and it looks like a password. */
function oddWhole(parts: readonly Part[], run: string, wordMax: number): readonly Span[] {
  const [first] = parts
  const last = parts.at(-1)
  if (first === undefined || last === undefined) return []
  const isTelling = parts.some(({ is, start, end }) => is === 'word' && end - start > wordMax)
  return !isTelling && isOdd(parts, run) ? [between(first, last)] : []
}

/** True for a run whose few short words are probably coincidental, as in Base64. */
function isMostlyForeign(parts: readonly Part[], run: string): boolean {
  const lengths = (kind: Part['is']) =>
    parts.filter(({ is }) => is === kind).map(({ start, end }) => end - start)
  const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0)
  const words = lengths('word')
  const areShort = words.every((length) => length < 5)
  return areShort && sum(lengths('foreign')) > sum(words) && !/^[a-z]{2,6}:\/\//.test(run)
}
