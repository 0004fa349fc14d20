import type { CollectedValues } from '../known/collected-values.ts'
import type { KnownValues } from '../known/known-values.ts'
import type { NameRule } from '../names/secret-names.ts'
import { isPseudonym, kindOf, PSEUDONYMS, type Pseudonyms, type Span } from '../pseudonyms.ts'
import { remembering } from '../remembered.ts'
import { addressesIn, userInfoIn } from '../text/addresses.ts'
import { disguisedIn } from '../text/disguises.ts'
import { createNamedValues, isNoValue } from '../text/named-values.ts'
import { hiddenIn, RUN } from '../text/run.ts'
import { createSecretCells } from '../text/secret-cells.ts'

/** True for a value that is hidden because of its name. Numbers under the name of a count are not hidden. */
export function hidesValue(rule: NameRule | null, value: string, isNumber: boolean): boolean {
  if (rule === null || isNoValue(value) || isPseudonym(value)) return false
  // A count of tokens or of accounts; a longer number of a person is an identifier.
  return !isNumber || rule === 'secret' || (rule === 'person' && value.length > 5)
}

/** True for a number that its name hides, or that is known. */
export function hidesNumber(rule: NameRule | null, text: string, redaction: Redaction): boolean {
  const { known, collected } = redaction
  return hidesValue(rule, text, true) || (collected === null && known.find(text).length > 0)
}

/** The pseudonym of a value that is hidden as a whole because of its name. The first pass also collects the value. */
export function hiddenValue(value: string, { pseudonyms, collected }: Redaction): string {
  collected?.addNamed(value)
  return collected === null ? pseudonyms.of(kindOf(value), value) : value
}

/** What is known and remembered in one pass over the files of a run. */
export interface Redaction {
  readonly known: KnownValues
  readonly pseudonyms: Pseudonyms
  /** Collects the values that the files name as secrets, in the first pass, which replaces nothing; null in other passes. */
  readonly collected: CollectedValues | null
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one.
const COLOURS = /\u001b(?:\[[\d;:?]*[A-Za-z]|[()].)/g

/**
 * Redacts a text line by line: everything is replaced that is not known to be harmless, and the name of a secret may hide the
 * following lines.
 */
export function createLineRedactor(
  { known, pseudonyms, collected }: Redaction,
  hiddenOf: (run: string) => readonly Span[] = hiddenInRun,
): (line: string) => string {
  const named = createNamedValues()
  const cells = createSecretCells()
  return (line) => {
    const plain = line.replace(COLOURS, (colour) => ' '.repeat(colour.length))
    const userInfo = userInfoIn(plain)
    const values = [...cells(plain), ...named(plain)]
    if (collected !== null) {
      for (const { start, end } of values.filter(({ isCertain }) => isCertain))
        collected.addNamed(plain.slice(start, end))
      for (const { start, end } of userInfo) {
        const userAndPassword = plain.slice(start, end)
        collected.addNamed(userAndPassword)
        collected.addNamed(userAndPassword.slice(userAndPassword.indexOf(':') + 1))
      }
      return line
    }
    const spans = united(
      [
        ...known.find(line),
        ...userInfo,
        ...values.map(({ start, end }) => ({ start, end, kind: 'secret' as const })),
        ...disguisedIn(plain),
        ...addressesIn(plain),
      ],
      plain,
    )
    let out = ''
    let at = 0
    for (const span of joined(withForeign(spans, plain, hiddenOf), plain)) {
      out += line.slice(at, span.start) + replaced(line, span, pseudonyms)
      at = span.end
    }
    return out + line.slice(at)
  }
}

/** A sample of a metric: its value is a number, however long. */
const SAMPLE = /^[a-z_:][a-z0-9_:]*(?:\{.*\})? (?=-?\d{1,15}(?:\.\d+)?$)/

/** Stands for a hidden span beside a run, so that the signs and numbers of the same value are hidden with it. */
const HIDDEN = '\ufffd'
/** Separators between a span and what follows it, which stay. */
const LEADING = /^[:;=/.@_&?-]+/
const SEPARATED = /[:;=/.@_&?-]$/

/** The spans, and the parts between them that must be hidden. Pseudonyms stay. */
function withForeign(
  spans: readonly Span[],
  plain: string,
  hiddenOf: (run: string) => readonly Span[],
): readonly Span[] {
  const text = plain.replace(PSEUDONYMS, (pseudonym) => ' '.repeat(pseudonym.length))
  const all: Span[] = []
  const judge = (from: number, to: number, isBeforeSpan = true) => {
    for (const { 0: run, index } of text.slice(from, to).matchAll(RUN)) {
      const before = index === 0 && from > 0 ? HIDDEN : ''
      const isGlued = isBeforeSpan && index + run.length === to - from && !SEPARATED.test(run)
      const after = isGlued ? HIDDEN : ''
      for (const span of hiddenOf(`${before}${run}${after}`)) {
        const start = Math.max(0, span.start - before.length)
        const own = run.slice(start, span.end - before.length)
        const lead = span.start < before.length ? own.length - own.replace(LEADING, '').length : 0
        const at = from + index + start + lead
        if (own.length > lead) all.push({ ...span, start: at, end: at + own.length - lead })
      }
    }
  }
  let at = 0
  for (const span of spans) {
    judge(at, span.start)
    all.push(span)
    at = span.end
  }
  const sample = SAMPLE.exec(plain)?.[0].length ?? 0
  judge(at, sample > at ? sample : text.length, false)
  return all
}

/** Special characters, or their escapes, as in passwords, with single blanks before, between and after them. */
const SIGNS = /^ ?(?:(?:\\u[0-9a-f]{4}|%[0-9a-f]{2}|&#?\w{1,6};|[^\s\p{L}\p{N}]) ?){3,64}$/iu
const STRUCTURE = /^["'[\]{},:;=()/.@_ -]*$/

/** Joins a hidden part with the span it touches, and two spans with only special characters between them, unless these separate lists and paths. */
function joined(spans: readonly Span[], text: string): readonly Span[] {
  const all: Span[] = []
  for (const span of spans) {
    const last = all.at(-1)
    const signs = last === undefined ? ' ' : text.slice(last.end, span.start)
    const isPart = signs === '' && (span.kind === 'hidden' || last?.kind === 'hidden')
    if (last === undefined || (!isPart && (STRUCTURE.test(signs) || !SIGNS.test(signs))))
      all.push(span)
    else {
      const named = isPart && last.kind === 'hidden' ? span : last
      all[all.length - 1] = { ...named, start: last.start, end: span.end }
    }
  }
  return all
}

function replaced(line: string, { start, end, kind, value }: Span, pseudonyms: Pseudonyms): string {
  const text = pseudonyms.of(kind, value ?? plainOf(line.slice(start, end)))
  return isBareNumber(line, start, end) ? `"${text}"` : text
}

/** Length of a run that is worth remembering. */
const RUN_LENGTH_MAX = 128
const hiddenInRun = remembering(RUN_LENGTH_MAX, (run) => hiddenIn(run))

/** Spans in order. Overlapping spans become one, with the value of the first; of several with the same start, the longest counts as first. */
function united(spans: readonly Span[], text: string): readonly Span[] {
  const merged: Span[] = []
  const whole = spans.map((span) => (span.value === undefined ? span : ofWholeWords(span, text)))
  for (const span of whole.toSorted(
    (one, other) => one.start - other.start || other.end - one.end,
  )) {
    const last = merged.at(-1)
    if (span.end <= span.start || isReplaced(text, span)) continue
    if (last === undefined || span.start >= last.end) merged.push(span)
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end }
  }
  return merged
}

const LETTERS = /^[A-Za-z0-9]{2}$/

/** A known value, extended over the letters and digits around it, as in Base64. */
function ofWholeWords(span: Span, text: string): Span {
  let { start, end } = span
  while (start > 0 && LETTERS.test(text.slice(start - 1, start + 1))) start -= 1
  while (end < text.length && LETTERS.test(text.slice(end - 1, end + 1))) end += 1
  return { ...span, start, end }
}

function isReplaced(text: string, { start, end }: Span): boolean {
  const value = text.slice(start, end)
  return value.length < 64 && value.replace(PSEUDONYMS, '') === '' && value !== ''
}

/** True for a number that stands alone as the value of a name: in TOML and JSON its pseudonym needs quotes. */
function isBareNumber(line: string, start: number, end: number): boolean {
  return (
    /^[-+]?\d[\d_.eE+-]*$/.test(line.slice(start, end)) &&
    /[=:[,][ \t]*$/.test(line.slice(Math.max(0, start - 8), start)) &&
    /^[ \t]*(?:[,}\]\r]|$)/.test(line.slice(end, end + 8))
  )
}

/** The text without escapes, so that a value has the same pseudonym in every encoding. */
function plainOf(text: string): string {
  if (!/[\\%&]/.test(text)) return text
  const plain = text
    .replace(/\\u([0-9a-fA-F]{4})/g, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    )
    .replaceAll('&amp;', '&')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}
