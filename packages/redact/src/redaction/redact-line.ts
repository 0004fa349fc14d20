import type { CollectedValues } from '../known/collected-values.ts'
import type { KnownValues } from '../known/known-values.ts'
import { type NameRule, ruleOfName } from '../names/secret-names.ts'
import { ownCopy } from '../own-copy.ts'
import { isPseudonym, kindOf, PSEUDONYMS, type Pseudonyms, type Span } from '../pseudonyms.ts'
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

/** The pseudonym of a value that is hidden as a whole because of its name. The first pass also collects the value. */
export function hiddenValue(value: string, { pseudonyms, collected }: Redaction): string {
  collected?.addNamed(value)
  return collected === null ? pseudonyms.of(kindOf(value), value) : value
}

/** Members and columns that contain the name of a neighbouring value. */
export const NAMING =
  /^(?:name|key|id|field|setting|option|param|parameter|property|header|variable)$/i
/** Members and columns whose name may stand in a neighbour. */
export const NAMED = /^(?:value|val|content|data)$/i

/** True for the name of a secret in a place where a value is also possible. */
export function isSecretName(text: string): boolean {
  return text.length < 64 && /^[\p{L}_-][\p{L}\d_.-]*$/u.test(text) && ruleOfName(text) === 'secret'
}

/** What is known and remembered in one pass over the files of a run. */
export interface Redaction {
  readonly known: KnownValues
  readonly pseudonyms: Pseudonyms
  /** Collects the values that the files name as secrets, in the first pass, which replaces nothing; null in other passes. */
  readonly collected: CollectedValues | null
}

/** Redacts a text line by line; the name of a secret may hide the following lines. */
interface LineRedactor {
  /** The line with everything replaced that is not known to be harmless. */
  redacted(line: string): string
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one.
const COLOURS = /\u001b(?:\[[\d;:?]*[A-Za-z]|[()].)/g

export function createLineRedactor(
  { known, pseudonyms, collected }: Redaction,
  hiddenOf: Judged['hiddenOf'] = rememberedIn,
): LineRedactor {
  const named = createNamedValues()
  const cells = createSecretCells()
  return {
    redacted(line) {
      const plain = withoutColours(line)
      const userInfo = userInfoIn(plain)
      const values = [...cells(plain), ...named.in(plain)]
      if (collected !== null) {
        for (const { start, end, isCertain } of values)
          if (isCertain) collected.addNamed(plain.slice(start, end))
        for (const { start, end } of userInfo) collectUserInfo(plain.slice(start, end), collected)
        return line
      }
      return rendered({ line, plain, pseudonyms, hiddenOf }, [
        ...known.find(line),
        ...userInfo,
        ...values.map(({ start, end }) => ({ start, end, kind: 'secret' as const })),
        ...disguisedIn(plain),
        ...addressesIn(plain),
      ])
    },
  }
}

function collectUserInfo(text: string, collected: CollectedValues): void {
  for (const part of [text, text.slice(text.indexOf(':') + 1)]) collected.addNamed(part)
}

/** The line with terminal colours replaced by the same number of blanks. */
function withoutColours(line: string): string {
  return line.includes('\u001b')
    ? line.replace(COLOURS, (colour) => ' '.repeat(colour.length))
    : line
}

/** A sample of a metric: its value is a number, however long. */
const SAMPLE = /^[a-z_:][a-z0-9_:]*(?:\{.*\})? (?=-?\d{1,15}(?:\.\d+)?$)/

/** A line that is being redacted. */
interface Judged {
  readonly line: string
  /** The line without colours; same length. */
  readonly plain: string
  readonly pseudonyms: Pseudonyms
  /** The parts of a run that must be hidden. */
  readonly hiddenOf: (run: string) => readonly Span[]
}

/** The redacted line: replaces the spans as a whole, and everything between them that is not known to be harmless. */
function rendered(judged: Judged, spans: readonly Span[]): string {
  const { line, plain } = judged
  const found: Span[] = []
  let at = 0
  for (const span of united(spans, plain)) {
    found.push(...foreignIn(judged, at, span.start), span)
    at = span.end
  }
  const sample = SAMPLE.exec(plain)?.[0].length ?? 0
  found.push(...foreignIn(judged, at, sample > at ? sample : line.length))
  let out = ''
  at = 0
  for (const span of joined(found, plain)) {
    out += line.slice(at, span.start) + replaced(judged, span)
    at = span.end
  }
  return out + line.slice(at)
}

/** The parts to hide between two offsets of a line; pseudonyms are left unchanged. */
function foreignIn({ plain, hiddenOf }: Judged, from: number, to: number): readonly Span[] {
  const spans: Span[] = []
  const judge = (start: number, end: number) => {
    for (const { 0: run, index } of plain.slice(start, end).matchAll(RUN))
      for (const span of hiddenOf(run))
        spans.push({ ...span, start: start + index + span.start, end: start + index + span.end })
  }
  let at = from
  if (plain.includes('-'))
    for (const { 0: text, index } of plain.slice(from, to).matchAll(PSEUDONYMS)) {
      judge(at, from + index)
      at = from + index + text.length
    }
  judge(at, to)
  return spans
}

/** Special characters, or their escapes, as in passwords, with single blanks between and after them. */
const SIGNS = /^(?:(?:\\u[0-9a-f]{4}|%[0-9a-f]{2}|&#?\w{1,6};|[^\s\p{L}\p{N}]) ?){3,64}$/iu
const STRUCTURE = /^["'[\]{},:;=()/.@_ -]*$/

/** Joins two hidden parts with only special characters between them, unless these are the separators of lists and paths. */
function joined(spans: readonly Span[], text: string): readonly Span[] {
  const all: Span[] = []
  for (const span of spans) {
    const last = all.at(-1)
    const signs = last === undefined ? '' : text.slice(last.end, span.start)
    if (last === undefined || STRUCTURE.test(signs) || !SIGNS.test(signs)) all.push(span)
    else all[all.length - 1] = { start: last.start, end: span.end, kind: last.kind }
  }
  return all
}

function replaced({ line, pseudonyms }: Judged, { start, end, kind, value }: Span): string {
  const text = pseudonyms.of(kind, value ?? plainOf(line.slice(start, end)))
  return isBareNumber(line, start, end) ? `"${text}"` : text
}

/** Number of runs whose results are cached, because runs repeat. */
const REMEMBERED_MAX = 20_000
const REMEMBERED_LENGTH_MAX = 128
const remembered = new Map<string, readonly Span[]>()

function rememberedIn(run: string): readonly Span[] {
  if (run.length > REMEMBERED_LENGTH_MAX) return hiddenIn(run)
  const before = remembered.get(run)
  if (before !== undefined) return before
  const spans = hiddenIn(run)
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  remembered.set(ownCopy(run), spans)
  return spans
}

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
