import type { KnownValue } from '../known/known-values.ts'
import { FORMS } from './forms.ts'
import { readings } from './undo.ts'

/**
 * Looks for known values in what was written. It shares nothing with the code that wrote it: there a text is decoded and searched by an automaton,
 * here each value is written in every form and looked up by its beginning.
 */
export interface LeakFinder {
  /** Offset of the first known value in the bytes, in any form; null when there is none. */
  find(bytes: Buffer): number | null
  /** Bytes of the longest form of a value. */
  readonly reach: number
}

/** A form is looked up by the longest of these beginnings that it has. */
const TIERS = [128, 64, 32, 16, 8, 4] as const
const FILTER_SIZE = 1 << 22
const REACH_MAX = 32 * 1024
/** The beginning of a longer value gives it away as well. */
const VALUE_LENGTH_MAX = 2048
/** A form that is shorter than a word proves nothing. */
const FORM_LENGTH_MIN = 4

export function createLeakFinder(values: readonly KnownValue[]): LeakFinder {
  /** By the hash of the beginning: the number of the value and that of the form as one. */
  const byTier = new Map<number, Map<number, number[]>>()
  const filter = new Uint8Array(FILTER_SIZE)
  let reach = 64
  for (const [index, { value, asWord }] of values.entries()) {
    const seen = new Set<string>()
    for (let form = 0; form < FORMS.length; form += 1) {
      if (FORMS[form]?.changes.test(value) !== true) continue
      const text = formOf(value, form)
      // A short value in Base64 or as numbers would be found in anything.
      if (
        text.length < FORM_LENGTH_MIN ||
        seen.has(text) ||
        (asWord && form > 0 && text.length < 8)
      )
        continue
      seen.add(text)
      reach = Math.max(reach, Math.min(text.length, REACH_MAX))
      const tier = TIERS.find((length) => length <= text.length) ?? 4
      const hashes = byTier.get(tier) ?? new Map<number, number[]>()
      byTier.set(tier, hashes)
      const bytes = Buffer.from(text, 'latin1')
      const hash = hashOf(bytes, 0, tier)
      const entries = hashes.get(hash) ?? []
      entries.push(index * FORMS.length + form)
      hashes.set(hash, entries)
      filter[slotOf(bytes.readInt32LE(0))] = 1
    }
  }
  const tiers = TIERS.filter((tier) => byTier.has(tier))

  const isAt = (lower: Buffer, at: number): boolean => {
    for (const tier of tiers) {
      if (at + tier > lower.length) continue
      for (const entry of byTier.get(tier)?.get(hashOf(lower, at, tier)) ?? []) {
        const known = values[Math.floor(entry / FORMS.length)]
        if (known === undefined) continue
        const form = Buffer.from(formOf(known.value, entry % FORMS.length), 'latin1')
        const isSame =
          lower.compare(form, 0, form.length, at, Math.min(lower.length, at + form.length)) === 0
        if (isSame && !(known.asWord && !standsAlone(lower, at, form.length))) return true
      }
    }
    return false
  }
  const search = (bytes: Buffer): number | null => {
    const lower = asciiLower(bytes)
    let four = 0
    for (let end = 0; end < lower.length; end += 1) {
      four = (four >>> 8) | ((lower[end] ?? 0) << 24)
      if (end >= 3 && filter[slotOf(four)] === 1 && isAt(lower, end - 3)) return end - 3
    }
    return null
  }

  return {
    reach,
    find(bytes) {
      if (values.length === 0) return null
      const plain = search(bytes)
      if (plain !== null) return plain
      // Mixed and nested spellings: read until nothing changes.
      const text = bytes.toString('latin1')
      for (const decoded of readings(text))
        if (search(Buffer.from(decoded, 'latin1')) !== null) return firstDifference(text, decoded)
      return base64Leak(bytes, search)
    },
  }
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
  return hash
}

/** Of four bytes, the first one lowest. */
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

/** Texts in Base64, begun at every place of a group. */
function base64Leak(bytes: Buffer, search: (bytes: Buffer) => number | null): number | null {
  for (let from = 0; from < bytes.length; ) {
    const { run, end } = base64RunAt(bytes, from)
    if (run.length >= RUN_LENGTH_MIN && /[^a-z]/.test(run) && leaksIn(run, search)) return from
    from = end + 1
  }
  return null
}

/** The signs of Base64 from here on. A long line of them goes on in the next one. */
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

/** Where the next line begins behind its indent; null where no line ends or Base64 does not go on. */
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
