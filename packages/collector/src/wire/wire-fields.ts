import { type EpochMs, epochMs, parseInstant } from '@svc/core'
import * as v from 'valibot'

/** Control characters, line and paragraph separators, and marks that change the direction of text. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu
const LONE_SURROGATE = /\p{Surrogate}/gu

/** Cleans foreign text for display on one line: at most `lengthMax` UTF-16 units, well-formed and without control characters. */
export function displayText(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(UNPRINTABLE, '').replace(LONE_SURROGATE, '\uFFFD').trim()
}

const SECONDS_OF_UNIT: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ns: 1e-9,
}
const WHOLE_DURATION = /^(?:\d{1,12}(?:\.\d{1,9})?(?:h|ms|m|s|us|µs|μs|ns)){1,8}$/
const PART = /([\d.]+)([a-zµμ]+)/g

/** Seconds of a duration in Go's form, as in `29m59s` or `1h0m0.5s`; null for anything else. */
export function parseGoDuration(text: string): number | null {
  if (!WHOLE_DURATION.test(text)) return null
  return [...text.matchAll(PART)].reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (SECONDS_OF_UNIT[unit] ?? 0),
    0,
  )
}

/** True for the proxy's message that a vendor refused to renew a token, given as text or as `error`. See docs/upstream.md#forwarded-calls. */
export function isRefusedRefresh(body: unknown): boolean {
  const words = isRecord(body) ? body.error : body
  return typeof words === 'string' && /^auth token refresh failed\b/i.test(words.trim())
}

export type WireRecord = Readonly<Record<string, unknown>>

export function isRecord(wire: unknown): wire is WireRecord {
  return typeof wire === 'object' && wire !== null && !Array.isArray(wire)
}

/** The object itself; without members if it is none. */
export function recordIn(wire: unknown): WireRecord {
  return isRecord(wire) ? wire : {}
}

/** The JSON in a text; undefined if it is not JSON. */
export function documentOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A field that becomes null if missing, null or of the wrong type. */
function wireField<Value>(read: (value: unknown) => Value | null) {
  return v.optional(v.pipe(v.unknown(), v.transform(read)), null)
}

/** Text, null when empty or blank. */
export const wireText = wireField(textFrom)
/** A finite number, also as a numeric string. */
export const wireNumber = wireField(numberFrom)
/** A boolean, also as `"true"` or `"false"`. */
export const wireFlag = wireField(flagFrom)
/** An RFC 3339 time, or a unix time in seconds or milliseconds; null outside 2020..2099, as for Go's zero time and nonsense. */
export const wireInstant = wireField(instantFrom)
export const wireArray = wireField((value) =>
  Array.isArray(value) ? (value as readonly unknown[]) : null,
)

export function textFrom(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

const NUMERIC = /^\s*[+-]?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?\s*$/i

export function numberFrom(value: unknown): number | null {
  const number = typeof value === 'string' && NUMERIC.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

function flagFrom(value: unknown): boolean | null {
  if (value === 'true') return true
  if (value === 'false') return false
  return typeof value === 'boolean' ? value : null
}

/** Unix times from here on are milliseconds. See docs/upstream.md#codex-quota. */
const UNIX_MS_MIN = 1e11
/** 2020-01-01 and 2100-01-01. */
const INSTANT_MIN = 1_577_836_800_000
const INSTANT_MAX = 4_102_444_800_000

export function instantFrom(value: unknown): EpochMs | null {
  const number = numberFrom(value)
  const instant =
    number === null
      ? parseInstant(textFrom(value) ?? '')
      : epochMs(number >= UNIX_MS_MIN ? number : number * 1000)
  return instant !== null && instant >= INSTANT_MIN && instant < INSTANT_MAX ? instant : null
}
