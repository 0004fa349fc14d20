import {
  type EpochMs,
  plusMs,
  type QuotaSample,
  type WindowId,
  type WindowReading,
  windowIdOf,
} from '@svc/core'
import * as v from 'valibot'
import { displayText } from '../../wire/display-text.ts'
import {
  instantFrom,
  wireArray,
  wireFlag,
  wireInstant,
  wireNumber,
  wireText,
} from '../../wire/wire-fields.ts'
import { percentLeft } from '../contract/percent-left.ts'
import { leastLeftOfEach } from '../contract/window-words.ts'

/** An object whose keys may be in snake or camel case. See docs/upstream.md#codex-quota. */
const wireObject = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.pipe(v.unknown(), v.transform(withSnakeKeys), v.object(entries))

const windowSchema = wireObject({
  used_percent: wireNumber,
  limit_window_seconds: wireNumber,
  reset_after_seconds: wireNumber,
  reset_at: wireInstant,
})

const limitSchema = wireObject({
  allowed: wireFlag,
  limit_reached: wireFlag,
  primary_window: v.optional(v.unknown()),
  secondary_window: v.optional(v.unknown()),
})

const extraLimitSchema = wireObject({
  metered_feature: wireText,
  limit_name: wireText,
  rate_limit: v.optional(v.unknown()),
})

const usageSchema = wireObject({
  plan_type: wireText,
  rate_limit: v.optional(v.unknown()),
  code_review_rate_limit: v.optional(v.unknown()),
  additional_rate_limits: wireArray,
  spend_control: v.optional(v.unknown()),
  rate_limit_reached_type: v.optional(v.unknown()),
})

const spendSchema = wireObject({ reached: wireFlag, individual_limit: v.optional(v.unknown()) })
const reachedTypeSchema = v.union([
  v.string(),
  v.pipe(
    v.object({ type: v.string() }),
    v.transform((reached) => reached.type),
  ),
])

const PLAN_LENGTH_MAX = 64
const FEATURE_LENGTH_MAX = 48
const EXTRA_LIMITS_MAX = 32
/** Longest window and longest time to a reset; larger values are misread numbers. */
const PERIOD_SECONDS_MAX = 366 * 86_400

interface LimitReading {
  readonly windows: readonly WindowReading[]
  readonly unreadableWindowCount: number
  readonly reached: boolean
}

const NO_LIMIT: LimitReading = { windows: [], unreadableWindowCount: 0, reached: false }
const UNREADABLE_LIMIT: LimitReading = { ...NO_LIMIT, unreadableWindowCount: 1 }

/** Reads a `wham/usage` document; null for anything else. Windows are named by their length, never by their slot. */
export function codexQuotaSampleOf(wire: unknown, sampledAt: EpochMs): QuotaSample | null {
  const parsed = v.safeParse(usageSchema, wire)
  if (!parsed.success) return null
  const usage = parsed.output
  if (usage.plan_type === null && usage.rate_limit === undefined) return null

  // A missing limit, unlike a null one, may only have been renamed: its windows are unknown, not absent.
  const main =
    usage.rate_limit === undefined
      ? UNREADABLE_LIMIT
      : readLimit(usage.rate_limit, (kind) => kind, sampledAt)
  const codeReview = readLimit(
    usage.code_review_rate_limit,
    (kind) => `code_review:${kind}`,
    sampledAt,
  )
  const extras = (usage.additional_rate_limits ?? [])
    .slice(0, EXTRA_LIMITS_MAX)
    .map((extra, index) => readExtraLimit(extra, index, sampledAt))
  return {
    origin: 'direct',
    sampledAt,
    plan: usage.plan_type === null ? null : displayText(usage.plan_type, PLAN_LENGTH_MAX),
    windows: leastLeftOfEach([main, codeReview, ...extras].flatMap((limit) => limit.windows)),
    unreadableWindowCount: main.unreadableWindowCount,
    limitReached: main.reached || isReachedType(usage.rate_limit_reached_type),
    spendReached: readSpend(usage.spend_control, sampledAt),
  }
}

function readExtraLimit(wire: unknown, index: number, sampledAt: EpochMs): LimitReading {
  const extra = v.safeParse(extraLimitSchema, wire)
  if (!extra.success) return NO_LIMIT
  const feature =
    slugOf(extra.output.metered_feature) || slugOf(extra.output.limit_name) || String(index)
  return readLimit(extra.output.rate_limit, (kind) => `extra:${feature}:${kind}`, sampledAt)
}

function slugOf(name: string | null): string {
  const words = (name ?? '').slice(0, FEATURE_LENGTH_MAX).toLowerCase()
  return words.replace(/[^a-z0-9_]+/g, '-').replace(/^-|-$/g, '')
}

function readLimit(
  wire: unknown,
  idOf: (kind: WindowId) => WindowId,
  sampledAt: EpochMs,
): LimitReading {
  if (wire === null || wire === undefined) return NO_LIMIT
  const parsed = v.safeParse(limitSchema, wire)
  if (!parsed.success) return UNREADABLE_LIMIT
  const { allowed, limit_reached, primary_window, secondary_window } = parsed.output
  const reached = allowed === false || limit_reached === true
  if (primary_window === undefined && secondary_window === undefined)
    return { ...UNREADABLE_LIMIT, reached }

  const present = [primary_window, secondary_window].filter(
    (window) => window !== null && window !== undefined,
  )
  const windows = present
    .map((window) => readWindow(window, { idOf, reached, sampledAt }))
    .filter((window) => window !== null)
  return { windows, unreadableWindowCount: present.length - windows.length, reached }
}

function readWindow(
  wire: unknown,
  limit: {
    readonly idOf: (kind: WindowId) => WindowId
    readonly reached: boolean
    readonly sampledAt: EpochMs
  },
): WindowReading | null {
  const parsed = v.safeParse(windowSchema, wire)
  if (!parsed.success) return null
  const { used_percent, limit_window_seconds: periodSeconds } = parsed.output
  const percent = percentLeft(used_percent) ?? (limit.reached ? 0 : null)
  if (
    percent === null ||
    periodSeconds === null ||
    periodSeconds < 1 ||
    periodSeconds > PERIOD_SECONDS_MAX
  )
    return null
  return {
    id: limit.idOf(windowIdOf(periodSeconds)),
    periodSeconds,
    percent,
    resetAt: resetAtOf(parsed.output, limit.sampledAt),
  }
}

type ResetTimes = { readonly reset_at: EpochMs | null; readonly reset_after_seconds: number | null }

function resetAtOf(
  { reset_at: resetAt, reset_after_seconds: afterSeconds }: ResetTimes,
  sampledAt: EpochMs,
): EpochMs | null {
  const latest = plusMs(sampledAt, PERIOD_SECONDS_MAX * 1000)
  if (resetAt !== null && resetAt <= latest) return resetAt
  if (afterSeconds === null || afterSeconds < 0 || afterSeconds > PERIOD_SECONDS_MAX) return null
  return instantFrom(plusMs(sampledAt, afterSeconds * 1000))
}

function isReachedType(wire: unknown): boolean {
  const type = v.safeParse(reachedTypeSchema, wire)
  return type.success && type.output.trim() !== ''
}

function readSpend(wire: unknown, sampledAt: EpochMs): QuotaSample['spendReached'] {
  const spend = v.safeParse(spendSchema, wire)
  if (!spend.success || spend.output.reached !== true) return null
  const limit = v.safeParse(windowSchema, spend.output.individual_limit)
  return { resetAt: limit.success ? resetAtOf(limit.output, sampledAt) : null }
}

/** `Object.fromEntries` makes own properties, so a key called `__proto__` stays a plain key. */
function withSnakeKeys(wire: unknown): unknown {
  if (typeof wire !== 'object' || wire === null || Array.isArray(wire)) return null
  return Object.fromEntries(
    Object.entries(wire).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )
}
