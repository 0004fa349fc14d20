import { type EpochMs, type QuotaSample, type WindowReading, windowIdOf } from '@svc/core'
import {
  displayText,
  instantFrom,
  isRecord,
  numberFrom,
  textFrom,
  type WireRecord,
} from '../../wire/wire-fields.ts'
import {
  EMPTY_SAMPLE,
  leastLeftOfEach,
  percentOfShareLeft,
  secondsOfWord,
  slugOf,
} from '../contract/quota-answer.ts'

const BUCKETS_MAX = 32
const MODELS_MAX = 32
const NAME_LENGTH_MAX = 64

/** Reads a summary: groups of models, each with its windows. Null for anything else. See docs/upstream.md#antigravity-quota. */
export function quotaSummaryOf(wire: unknown, sampledAt: EpochMs): QuotaSample | null {
  const groups = unwrapped(wire)?.groups
  if (!Array.isArray(groups)) return null
  const read = groups.filter(isRecord).flatMap(windowsIn)
  if (groups.length > 0 && read.length === 0) return null
  const windows = leastLeftOfEach(read.filter((window) => window !== null))
  return {
    ...EMPTY_SAMPLE,
    sampledAt,
    windows,
    // None of them is the account's own: an odd one leaves no doubt about those, unless nothing could be read.
    unreadableWindowCount: windows.length === 0 ? read.length : 0,
    ...(groups.length === 0 ? { reportsNone: true } : {}),
  }
}

/** The answer itself, or the object in its `response` or `body`; null if it is no object. */
export function unwrapped(wire: unknown): WireRecord | null {
  if (!isRecord(wire)) return null
  const inner = wire.response ?? wire.body
  return isRecord(inner) ? inner : wire
}

/** The windows of one group; null for each unreadable window. */
function windowsIn(group: WireRecord): readonly (WindowReading | null)[] {
  const buckets: readonly unknown[] = Array.isArray(group.buckets) ? group.buckets : []
  const label = displayText(textFrom(group.displayName) ?? '', NAME_LENGTH_MAX)
  const models = modelsIn(textFrom(group.description) ?? '')
  const pool = { ...(label === '' ? {} : { label }), ...(models.length === 0 ? {} : { models }) }
  return buckets.slice(0, BUCKETS_MAX).map((bucket) => {
    if (!isRecord(bucket)) return null
    const [, prefix, suffix] = /^(.+)-([^-]+)$/.exec(textFrom(bucket.bucketId) ?? '') ?? []
    const scope = slugOf(prefix) || slugOf(label)
    const word = slugOf(bucket.window) || slugOf(suffix)
    const percent = percentIn(bucket)
    if (scope === '' || word === '' || percent === null) return null
    const periodSeconds = secondsOfWord(word)
    const kind = periodSeconds === null ? word : windowIdOf(periodSeconds)
    const resetAt = instantFrom(bucket.resetTime)
    return { id: `${scope}:${kind}`, periodSeconds, percent, resetAt, ...pool }
  })
}

/** Percent left, from a fraction given as a number or as text like `40%`, possibly nested in `remaining`. Null without one. */
function percentIn({ remaining, remainingFraction }: WireRecord): number | null {
  const fraction = remainingFraction ?? (isRecord(remaining) ? remaining.remainingFraction : null)
  const [, percents = null] = /^([^%]+)%\s*$/.exec(textFrom(fraction) ?? '') ?? []
  const percent = numberFrom(percents)
  return percentOfShareLeft(percent === null ? numberFrom(fraction) : percent / 100)
}

/** Unlike part of a sentence, a model's name has a capital or a digit and does not end with a full stop. */
const MODEL_NAME = /^(?=.*[A-Z\d])[\w(][\w .()+/-]{0,47}(?<!\.)$/

/** Names of models in a description like `Models within this group: Gemini Flash, Gemini Pro`; empty if the description is no such list. */
function modelsIn(description: string): readonly string[] {
  const list = description.slice(description.indexOf(':') + 1)
  const names = list.split(',').map((name) => name.trim())
  const isList = names.length > 1 && names.length <= MODELS_MAX
  return isList && names.every((name) => MODEL_NAME.test(name)) ? names : []
}
