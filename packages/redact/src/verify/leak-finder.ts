import type { KnownValue } from '../known/known-values.ts'
import { FORMS } from './forms.ts'
import { readings } from './undo.ts'

/**
 * Looks for known values in the written copies. Shares nothing with the code that wrote them: that one decodes the text and searches it by an
 * automaton; this one writes each value in every form and looks it up by its beginning.
 */
export interface LeakFinder {
  /** Offset of the first known value in the bytes, in any form; null without one. */
  find(bytes: Buffer): number | null
  /** Bytes of the longest form of a value. */
  readonly reach: number
}

/** Lengths of beginnings; a form is looked up by the longest one that fits. */
const TIERS = [128, 64, 32, 16, 8, 4] as const
const FILTER_SIZE = 1 << 22
const REACH_MAX = 32 * 1024
/** The beginning of a longer value is enough to find it. */
const VALUE_LENGTH_MAX = 2048
/** A form shorter than a word proves nothing. */
const FORM_LENGTH_MIN = 4

export function createLeakFinder(values: readonly KnownValue[]): LeakFinder {
  const { filter, tiers, reach, formsAt } = formsOf(values)
  const isAt = (lower: Buffer, at: number): boolean =>
    tiers.some(
      (tier) =>
        at + tier <= lower.length &&
        formsAt(hashOf(lower, at, tier)).some((entry) => {
          const known = values[Math.floor(entry / FORMS.length)]
          if (known === undefined) return false
          const form = Buffer.from(formOf(known.value, entry % FORMS.length), 'latin1')
          const isSame =
            lower.compare(form, 0, form.length, at, Math.min(lower.length, at + form.length)) === 0
          return isSame && !(known.asWord && !standsAlone(lower, at, form.length))
        }),
    )
  const search = (bytes: Buffer): number | null => {
    const lower = asciiLower(bytes)
    let four = 0
    for (let end = 0; end < lower.length; end += 1) {
      four = (four >>> 8) | ((lower[end] ?? 0) << 24)
      if (end >= 3 && ((filter[slotOf(four)] ?? 0) & FOUR_BYTES) !== 0 && isAt(lower, end - 3))
        return end - 3
    }
    return null
  }

  return {
    reach,
    find(bytes) {
      if (values.length === 0) return null
      const plain = search(bytes)
      if (plain !== null) return plain
      // Mixed and nested encodings: decoded until nothing changes.
      const text = bytes.toString('latin1')
      for (const decoded of readings(text))
        if (search(Buffer.from(decoded, 'latin1')) !== null) return firstDifference(text, decoded)
      return base64Leak(bytes, search)
    },
  }
}

interface Forms {
  /** Marks the first four bytes of every form, and its hash. */
  readonly filter: Uint8Array
  readonly tiers: readonly number[]
  readonly reach: number
  /** Forms that may begin with this hash: the numbers of value and form as one. */
  readonly formsAt: (hash: number) => readonly number[]
}

const FOUR_BYTES = 1
const HASH = 2

function formsOf(values: readonly KnownValue[]): Forms {
  const filter = new Uint8Array(FILTER_SIZE)
  const used = new Set<number>()
  // A hash and the number of a form are stored as one number, sorted: a map of millions would take ten times the memory.
  const entries = values.length * FORMS.length + 1
  // The system does not allocate memory that is never written to.
  const all = new Float64Array(entries)
  const hashes = Math.min(2 ** 29, Math.floor(Number.MAX_SAFE_INTEGER / entries))
  let reach = 64
  let count = 0
  for (const [index, { value, asWord }] of values.entries()) {
    const seen = new Set<string>()
    for (let form = 0; form < FORMS.length; form += 1) {
      if (FORMS[form]?.changes.test(value) !== true) continue
      const text = formOf(value, form)
      // A short value in Base64 or as numbers would match almost anything.
      if (
        text.length < FORM_LENGTH_MIN ||
        seen.has(text) ||
        (asWord && form > 0 && text.length < 8)
      )
        continue
      seen.add(text)
      reach = Math.max(reach, Math.min(text.length, REACH_MAX))
      const tier = TIERS.find((length) => length <= text.length) ?? 4
      used.add(tier)
      const bytes = Buffer.from(text.slice(0, tier), 'latin1')
      const hash = hashOf(bytes, 0, tier)
      all[count] = (hash % hashes) * entries + index * FORMS.length + form
      count += 1
      mark(filter, slotOf(bytes.readInt32LE(0)), FOUR_BYTES)
      mark(filter, slotOf(hash), HASH)
    }
  }
  const sorted = all.subarray(0, count).sort()
  return {
    filter,
    tiers: TIERS.filter((tier) => used.has(tier)),
    reach,
    formsAt(hash) {
      if (((filter[slotOf(hash)] ?? 0) & HASH) === 0) return []
      const first = (hash % hashes) * entries
      const from = firstNotBelow(sorted, first)
      return [...sorted.subarray(from, firstNotBelow(sorted, first + entries))].map(
        (both) => both - first,
      )
    },
  }
}

function mark(filter: Uint8Array, slot: number, bit: number): void {
  filter[slot] = (filter[slot] ?? 0) | bit
}

function firstNotBelow(sorted: Float64Array, least: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}

function formOf(value: string, form: number): string {
  const short = value.slice(0, VALUE_LENGTH_MAX)
  return asciiLower(
    Buffer.from(FORMS[form]?.write(short, Buffer.from(short, 'latin1')) ?? '', 'latin1'),
  ).toString('latin1')
}

function asciiLower(bytes: Buffer): Buffer {
  const lower = Buffer.from(bytes)
  for (let at = 0; at < lower.length; at += 1) {
    const code = lower[at] ?? 0
    if (code >= 65 && code <= 90) lower[at] = code + 32
  }
  return lower
}

function hashOf(bytes: Buffer, at: number, length: number): number {
  let hash = 0x811c9dc5
  for (let index = at; index < at + length; index += 1)
    hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193)
  return (hash ^ length) >>> 3
}

/** Filter slot of four bytes, the first one lowest. */
function slotOf(four: number): number {
  return (Math.imul(four, 0x9e3779b1) >>> 10) & (FILTER_SIZE - 1)
}

function standsAlone(bytes: Buffer, at: number, length: number): boolean {
  const isWord = (index: number) =>
    index >= 0 &&
    index < bytes.length &&
    /[A-Za-z0-9_\x80-\xff]/.test(String.fromCharCode(bytes[index] ?? 0))
  return !isWord(at - 1) && !isWord(at + length)
}

const RUN_LENGTH_MIN = 16

/** Searches Base64 text, decoded from every place of a group. */
function base64Leak(bytes: Buffer, search: (bytes: Buffer) => number | null): number | null {
  for (let from = 0; from < bytes.length; ) {
    const { run, end } = base64RunAt(bytes, from)
    if (run.length >= RUN_LENGTH_MIN && /[^a-z]/.test(run) && leaksIn(run, search)) return from
    from = end + 1
  }
  return null
}

/** The Base64 run from here on. A long line continues on the next one. */
function base64RunAt(bytes: Buffer, from: number): { readonly run: string; readonly end: number } {
  let run = ''
  let lineStart = from
  let end = from
  for (;;) {
    while (end < bytes.length && isBase64(bytes[end] ?? 0)) end += 1
    run += bytes.toString('latin1', lineStart, end)
    const next = end - lineStart >= RUN_LENGTH_MIN ? nextLineOf(bytes, end) : null
    if (next === null) return { run, end }
    lineStart = next
    end = next
  }
}

/** Start of the next line after its indent; null if no line ends here or Base64 does not continue. */
function nextLineOf(bytes: Buffer, at: number): number | null {
  let next = bytes[at] === 0x0d ? at + 1 : at
  if (bytes[next] !== 0x0a) return null
  next += 1
  while (bytes[next] === 0x20 || bytes[next] === 0x09) next += 1
  return next < bytes.length && isBase64(bytes[next] ?? 0) ? next : null
}

function isBase64(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x2f && code <= 0x39) ||
    code === 0x2b ||
    code === 0x2d ||
    code === 0x5f
  )
}

function leaksIn(run: string, search: (bytes: Buffer) => number | null): boolean {
  for (let phase = 0; phase < 4; phase += 1) {
    const decoded = Buffer.from(run.slice(phase), 'base64')
    if (
      search(decoded) !== null ||
      readings(decoded.toString('latin1')).some(
        (reading) => search(Buffer.from(reading, 'latin1')) !== null,
      )
    )
      return true
  }
  return false
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  return at
}
