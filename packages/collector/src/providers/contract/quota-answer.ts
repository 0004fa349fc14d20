import {
  type EpochMs,
  type QuotaSample,
  type WindowId,
  type WindowReading,
  windowIdOf,
} from '@svc/core'
import { retryAfterSecondsOf } from '@svc/core/service'
import { documentOf, textFrom, type WireRecord } from '../../wire/wire-fields.ts'
import type { ProbeResult, VendorAnswer } from './provider.ts'

/** Percent left, with one decimal; a positive remainder is never rounded to 0. Null for a missing or negative share, which says nothing. */
export function percentLeft(usedPercent: number | null): number | null {
  if (usedPercent === null || !(usedPercent >= 0)) return null
  const left = Math.max(0, 100 - usedPercent)
  return left === 0 ? 0 : Math.max(0.1, Math.round(left * 10) / 10)
}

/** Percent left, from the remaining share (0..1); null for an impossible share. */
export function percentOfShareLeft(share: number | null): number | null {
  return share === null || share < 0 ? null : percentLeft(100 - share * 100)
}

/** A queried sample in which the vendor says nothing further. */
export const EMPTY_SAMPLE = {
  origin: 'direct',
  plan: null,
  unreadableWindowCount: 0,
  limitReached: false,
  spendReached: null,
} as const

/** Maximum number of names kept of one answer. */
const NAMES_MAX = 16
const NAME_LENGTH_MAX = 48
/**
 * Words of letters or short numbers, as in names of fields and headers. Keys, ids and addresses do not match: they mix letters and digits, or are
 * long.
 */
const NAME =
  /^(?:[a-z]{1,16}\d{0,3}|\d{1,3}[a-z]{0,2})(?:[_.-](?:[a-z]{1,16}\d{0,3}|\d{1,3}[a-z]{0,2})){0,7}$/

/** A vendor's name for a field or value; null for text that may be a value or a secret. */
export function nameIn(text: string): string | null {
  const name = text.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
  return name.length <= NAME_LENGTH_MAX && NAME.test(name) ? name : null
}

/** Names of unknown fields that have a value. */
export function unknownKeysIn(wire: WireRecord, known: ReadonlySet<string>): readonly string[] {
  return Object.keys(wire).filter((key) => !known.has(key) && wire[key] !== null)
}

/** The `unknownNames` member of a sample; empty if there are no names. */
export function unknownNamesOf(names: readonly string[]): { unknownNames?: readonly string[] } {
  const found = new Set(names.flatMap((name) => nameIn(name) ?? []))
  return found.size === 0 ? {} : { unknownNames: [...found].sort().slice(0, NAMES_MAX) }
}

const WORD_LENGTH_MAX = 64

/** Lengths of windows in hours, by their names at vendors and plugins. */
const HOURS = new Map(Object.entries({ '5h': 5, '24h': 24, daily: 24, weekly: 168, monthly: 720 }))

/** Length of the window with this name, in seconds; null for an unknown name. */
export function secondsOfWord(word: unknown): number | null {
  const hours = HOURS.get(slugOf(word))
  return hours === undefined ? null : hours * 3600
}

/** The account's own window of this length. */
export function windowOfLength(periodSeconds: number) {
  return { id: windowIdOf(periodSeconds), periodSeconds }
}

/** A name in lower case, as part of a window's id; empty if no usable characters remain. */
export function slugOf(name: unknown): string {
  const words = (textFrom(name) ?? '').slice(0, WORD_LENGTH_MAX).toLowerCase()
  return words.replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '')
}

/** Keeps one window per id: the one with the least quota left. */
export function leastLeftOfEach(windows: readonly WindowReading[]): readonly WindowReading[] {
  const leastById = new Map<WindowId, WindowReading>()
  for (const window of windows) {
    const found = leastById.get(window.id)
    if (found === undefined || window.percent < found.percent) leastById.set(window.id, window)
  }
  return [...leastById.values()]
}

/** Reads the document of a good answer with `sampleOf`, or says why there is none. See docs/upstream.md#codex-quota. */
export function readQuotaAnswer(
  answer: VendorAnswer,
  sampleOf: (document: unknown, sampledAt: EpochMs) => QuotaSample | null,
): ProbeResult {
  const { status: httpStatus, body, receivedAt } = answer
  if (httpStatus !== 200) return failureOf(answer)
  const sample = sampleOf(documentOf(body), receivedAt)
  return sample === null
    ? { kind: 'failed', code: 'bad_payload', httpStatus }
    : { kind: 'sample', sample }
}

/** The reason an answer other than 200 has no quota, by the rules all vendors share. */
export function failureOf(answer: VendorAnswer): ProbeResult {
  const { status: httpStatus, headers, receivedAt } = answer
  if (headers.get('cf-mitigated') !== null || (httpStatus === 403 && isPage(answer)))
    return { kind: 'blocked', httpStatus }
  if (httpStatus === 401) return { kind: 'auth', httpStatus }
  if (httpStatus === 429)
    return {
      kind: 'throttled',
      httpStatus,
      retryAfterSeconds: retryAfterSecondsOf(headers, receivedAt),
    }
  return failedAtStatus(httpStatus)
}

export function failedAtStatus(httpStatus: number): ProbeResult {
  const code = httpStatus >= 500 ? 'server_error' : 'unexpected_status'
  return { kind: 'failed', code, httpStatus }
}

function isPage({ headers, body }: VendorAnswer): boolean {
  return /^text\/html/i.test(headers.get('content-type') ?? '') || body.trimStart().startsWith('<')
}
