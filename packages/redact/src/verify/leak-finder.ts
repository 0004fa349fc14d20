import type { KnownValue } from '../known-values.ts'
import { FORMS } from './forms.ts'
import { readings } from './undo.ts'

/**
 * Looks for known values in what was written. It shares nothing with the code that wrote it: there a text is decoded and searched by an automaton,
 * here each value is written in every form and looked up by its beginning.
 */
export interface LeakFinder {
  /** Offset of the first known value in the bytes, in any form; null when there is none. */
  find(bytes: Buffer): number | null
  /** Longest stretch a value takes. */
  readonly reach: number
}

/** A form is looked up by as much of its beginning as it has, in steps. */
const TIERS = [128, 64, 32, 16, 8, 4] as const
const FILTER_SIZE = 1 << 22
const REACH_MAX = 32 * 1024
/** The beginning of a longer value tells as well. */
const VALUE_LENGTH_MAX = 2048
/** Of a form that is shorter than a word nothing can be told. */
const FORM_LENGTH_MIN = 4

export function createLeakFinder(values: readonly KnownValue[]): LeakFinder {
  /** By hash of the beginning: numbers of value and form in one. */
  const byTier = new Map<number, Map<number, number[]>>()
  const filter = new Uint8Array(FILTER_SIZE)
  let reach = 64
  for (const [index, { value, asWord }] of values.entries()) {
    const seen = new Set<string>()
    for (let form = 0; form < FORMS.length; form += 1) {
      if (FORMS[form]?.changes.test(value) !== true) continue
      const text = formOf(value, form)
      // A short value in Base64 or as numbers would be found in anything.
      if (text.length < FORM_LENGTH_MIN || seen.has(text) || (asWord && form > 0 && text.length < 8)) continue
      seen.add(text)
      reach = Math.max(reach, Math.min(text.length, REACH_MAX))
      const tier = TIERS.find((length) => length <= text.length) ?? 4
      const hashes = byTier.get(tier) ?? new Map<number, number[]>()
      byTier.set(tier, hashes)
      const hash = hashOf(text, tier)
      const entries = hashes.get(hash) ?? []
      entries.push(index * FORMS.length + form)
      hashes.set(hash, entries)
      filter[slotOf(text.charCodeAt(0), text.charCodeAt(1), text.charCodeAt(2), text.charCodeAt(3))] = 1
    }
  }
  const tiers = TIERS.filter((tier) => byTier.has(tier))

  const isAt = (lower: string, at: number): boolean => {
    for (const tier of tiers) {
      if (at + tier > lower.length) continue
      const entries = byTier.get(tier)?.get(hashOf(lower.slice(at, at + tier), tier))
      for (const entry of entries ?? []) {
        const known = values[Math.floor(entry / FORMS.length)]
        const text = known === undefined ? '' : formOf(known.value, entry % FORMS.length)
        if (text !== '' && lower.startsWith(text, at) && !(known?.asWord === true && !standsAlone(lower, at, text.length))) return true
      }
    }
    return false
  }
  const search = (text: string): number | null => {
    const lower = asciiLower(text)
    for (let at = 0; at + 3 < lower.length; at += 1) {
      const slot = slotOf(lower.charCodeAt(at), lower.charCodeAt(at + 1), lower.charCodeAt(at + 2), lower.charCodeAt(at + 3))
      if (filter[slot] === 1 && isAt(lower, at)) return at
    }
    return null
  }

  return {
    reach,
    find(bytes) {
      if (values.length === 0) return null
      const text = bytes.toString('latin1')
      const plain = search(text)
      if (plain !== null) return plain
      // Mixed and nested spellings: read until nothing changes.
      for (const decoded of readings(text)) if (search(decoded) !== null) return Math.max(0, firstDifference(text, decoded))
      return base64Leak(text, search)
    },
  }
}

function formOf(value: string, form: number): string {
  const short = value.slice(0, VALUE_LENGTH_MAX)
  return asciiLower(FORMS[form]?.write(short, Buffer.from(short, 'latin1')) ?? '')
}

function asciiLower(text: string): string {
  const buffer = Buffer.from(text, 'latin1')
  for (let at = 0; at < buffer.length; at += 1) {
    const code = buffer[at] ?? 0
    if (code >= 65 && code <= 90) buffer[at] = code + 32
  }
  return buffer.toString('latin1')
}

function hashOf(text: string, length: number): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

function slotOf(one: number, two: number, three: number, four: number): number {
  return (Math.imul(one | (two << 8) | (three << 16) | (four << 24), 0x9e3779b1) >>> 10) & (FILTER_SIZE - 1)
}

function standsAlone(text: string, at: number, length: number): boolean {
  const isWord = (sign: string | undefined) => sign !== undefined && /[A-Za-z0-9_\x80-\xff]/.test(sign)
  return !isWord(text[at - 1]) && !isWord(text[at + length])
}

const RUN = /[A-Za-z0-9+/_-]{16,}/g

function base64Leak(text: string, search: (text: string) => number | null): number | null {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (/^[a-z_/-]+$/.test(run)) continue
    for (let phase = 0; phase < 4; phase += 1) {
      const decoded = Buffer.from(run.slice(phase), 'base64').toString('latin1')
      if (search(decoded) !== null || readings(decoded).some((reading) => search(reading) !== null)) return index
    }
  }
  return null
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  return at
}
