import { ownCopy } from '../byte-text.ts'
import type { KnownValue } from '../known/known-values.ts'
import { isHarmless } from '../names/harmless.ts'
import { isReplaced, PSEUDONYM_WORDS } from '../pseudonyms.ts'
import type { SecretKind, Span } from '../span.ts'
import { textOfReading } from '../spellings/reading.ts'
import { unescaped } from '../spellings/unescape.ts'
import { isEverydayWord } from './own-words.ts'

export interface LeftOut {
  readonly named: number
  readonly byShape: number
}

/** Collects the values of this run that are secret or personal. */
export interface CollectedValues {
  /** Adds a value that the configuration leads to. Byte text. */
  addConfigured(value: string, kind: SecretKind): void
  /** Adds a value found in a file of the run. */
  addFound(span: Span): void
  values(): readonly KnownValue[]
  /** Number of values dropped because there were too many. They are replaced only if their name or shape gives them away. */
  readonly leftOut: LeftOut
}

/** Rounds of undoing the escapes of a value. */
const ROUNDS_MAX = 3
/** Shorter texts would match inside ordinary words. */
const LENGTH_MIN = 6
const CONFIGURED_LENGTH_MIN = 4
const SHAPE_LENGTH_MIN = 16
const LENGTH_MAX = 64 * 1024
/** Bounds the bytes of remembered values, so that memory stays bounded whatever the files hold. */
const BYTES_MAX = { named: 640 * 1024, shape: 128 * 1024 } as const

/** An empty collection of known values. */
export function createCollectedValues(): CollectedValues {
  const byValue = new Map<string, KnownValue>()
  const bytes = { named: 0, shape: 0 }
  const leftOut = { named: 0, shape: 0 }

  const add = (value: string, kind: SecretKind, budget: 'named' | 'shape' | null): void => {
    const key = ownCopy(value.toLowerCase())
    const before = byValue.get(key)
    const asWord = isCommon(value)
    if (before !== undefined) {
      if (before.asWord && !asWord) byValue.set(key, { ...before, asWord })
      return
    }
    if (budget !== null) {
      if (bytes[budget] + value.length > BYTES_MAX[budget]) {
        leftOut[budget] += 1
        return
      }
      bytes[budget] += value.length
    }
    byValue.set(key, { value: key === value ? key : ownCopy(value), kind, asWord })
  }

  return {
    get leftOut() {
      return { named: leftOut.named, byShape: leftOut.shape }
    },
    addConfigured(value, kind) {
      const plain = trimmed(value)
      if (plain.length >= CONFIGURED_LENGTH_MIN && !PSEUDONYM_WORDS.has(plain.toLowerCase()))
        add(plain.slice(0, LENGTH_MAX), kind, null)
    },
    addFound({ certainty, kind, value, parts }) {
      if (
        certainty === 'here' ||
        kind === 'ip' ||
        kind === 'agent' ||
        kind === 'path' ||
        kind === 'mac' ||
        kind === 'uuid'
      )
        return
      for (const plain of readingsOf(value))
        if (isWorthKnowing(plain, kind, certainty)) add(plain, kind, certainty)
      for (const part of parts ?? []) {
        for (const plain of readingsOf(part))
          if (isWorthKnowing(plain, 'secret', 'named')) add(plain, 'secret', 'named')
      }
    },
    values: () => [...byValue.values()],
  }
}

/** Unlike `trim`, leaves the byte A0 alone, which is part of letters. */
function trimmed(value: string): string {
  return value.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '')
}

/** The value as written, and without its escapes. */
function readingsOf(found: string): readonly string[] {
  const value = trimmed(found)
  if (value.length > LENGTH_MAX) return [value.slice(0, LENGTH_MAX)]
  const readings = new Set([value])
  for (const kind of ['all', 'backslash', 'percent', 'entity'] as const) {
    let now = value
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const reading = unescaped(now, kind)
      if (reading === null) break
      now = trimmed(textOfReading(reading))
      readings.add(now)
    }
  }
  // YAML, SQL and CSV double a quote; a shell closes and reopens it.
  for (const reading of [...readings])
    readings.add(reading.replace(/'\\''|'"'"'|''/g, "'").replaceAll('""', '"'))
  // Forms encode a blank as a plus.
  return /^[^\s+]+(?:\+[^\s+]+)+$/.test(value)
    ? [...readings, ...[...readings].map((reading) => reading.replaceAll('+', ' '))]
    : [...readings]
}

function isWorthKnowing(value: string, kind: SecretKind, certainty: 'named' | 'shape'): boolean {
  if (value.length < LENGTH_MIN || isHarmless(value) || PSEUDONYM_WORDS.has(value.toLowerCase()))
    return false
  if (isReplaced(value) || isEverydayWord(value)) return false
  if (kind !== 'email' && certainty === 'shape') return value.length >= SHAPE_LENGTH_MIN
  // Instants and sizes look like secret numbers.
  return (
    !/^\d{4}-\d\d-\d\d[T ]/.test(value) &&
    !/^(?:0+|\d{1,5})(?:\.\d+)?$/.test(value) &&
    !/^[\s.,:;_/\\|+=*-]+$/.test(value)
  )
}

/** True for a value that only counts as a whole word: a short one, a number or a word itself. */
function isCommon(value: string): boolean {
  return (
    value.length < 8 ||
    /^\d{1,15}$/.test(value) ||
    (value.length < 12 && /^(?:[A-Za-z]?[a-z]+|[A-Z]+)$/.test(value))
  )
}
