import type { EpochMs, QuotaSample } from '@svc/core'
import { displayText, isRecord, textFrom, type WireRecord } from '../../wire/wire-fields.ts'
import { unknownKeysIn, unknownNamesOf } from '../contract/quota-answer.ts'
import { featureSlugOf, knownFields, readLimits, resetAtIn, type WireLimit } from './limit.ts'

const PLAN_LENGTH_MAX = 64
const LABEL_LENGTH_MAX = 64
const EXTRA_LIMITS_MAX = 32
/** A limit of a feature beside the account's own. */
const FEATURE_LIMIT = /^([a-z][a-z0-9_]{0,39})_rate_limit$/
const WINDOW = /^([a-z_]{1,40})_window$/

/** Reads a `wham/usage` document; null for anything else. See docs/upstream.md#codex-quota. */
export function codexQuotaSampleOf(wire: unknown, sampledAt: EpochMs): QuotaSample | null {
  const usage = snakeKeys(wire)
  const plan = textFrom(usage.plan_type)
  if (!isRecord(wire) || (plan === null && usage.rate_limit === undefined)) return null
  const unknown = [...unknownKeysIn(usage, knownFields.answer)]
  const typeOf = (field: string) =>
    field === 'rate_limit_reached_type' ? usage.rate_limit_reached_type : undefined
  const main = wireLimitOf(usage.rate_limit, '', unknown)
  const features = Object.entries(usage).flatMap(([key, limit]) => {
    const feature = FEATURE_LIMIT.exec(key)?.[1]
    return feature === undefined || !isRecord(limit) ? [] : wireLimitOf(limit, feature, unknown)
  })
  const extras = (Array.isArray(usage.additional_rate_limits) ? usage.additional_rate_limits : [])
    .slice(0, EXTRA_LIMITS_MAX)
    .flatMap((extra: unknown, index) => extraLimitOf(snakeKeys(extra), index, unknown))
  const ownLimit = { ...main, fieldOf: (field: string) => typeOf(field) ?? main.fieldOf(field) }
  const { unknownNames, ...read } = readLimits([ownLimit, ...features, ...extras], sampledAt)
  return {
    origin: 'direct',
    sampledAt,
    plan: plan === null ? null : displayText(plan, PLAN_LENGTH_MAX),
    ...read,
    unreadableWindowCount: read.unreadableWindowCount + main.missingCount,
    spendReached: spendIn(usage.spend_control, sampledAt) ?? read.spendReached,
    ...bankedCountIn(usage.rate_limit_reset_credits),
    ...unknownNamesOf([...unknown, ...unknownNames]),
  }
}

/** Converts a limit of the answer. `missingCount` is 1 if no slot is listed: the slots may only have been renamed, so the windows are unknown. */
function wireLimitOf(
  wire: unknown,
  scope: string,
  unknown: string[],
): WireLimit & { readonly missingCount: number } {
  const limit = snakeKeys(wire)
  unknown.push(...unknownKeysIn(limit, knownFields.limit))
  const slots = Object.entries(limit).flatMap(([key, window]) => {
    const slot = WINDOW.exec(key)?.[1]
    return slot === undefined ? [] : [{ slot, window }]
  })
  const windows = slots.flatMap(({ slot, window }) => {
    if (window === null || window === undefined) return []
    const fields = snakeKeys(window)
    unknown.push(...unknownKeysIn(fields, knownFields.window))
    return [{ slot, fieldOf: (field: string) => fields[field] }]
  })
  const missingCount = wire === null || slots.length > 0 ? 0 : 1
  return { scope, windows, missingCount, fieldOf: (field) => limit[field] }
}

function extraLimitOf(extra: WireRecord, index: number, unknown: string[]): readonly WireLimit[] {
  unknown.push(...unknownKeysIn(extra, knownFields.extraLimit))
  const [feature, name] = [extra.metered_feature, extra.limit_name].map(textFrom)
  const slug = featureSlugOf(feature ?? '') || featureSlugOf(name ?? '') || String(index)
  const label = displayText(name ?? '', LABEL_LENGTH_MAX)
  const limit = wireLimitOf(extra.rate_limit, `extra:${slug}`, unknown)
  return isRecord(extra.rate_limit) ? [{ ...limit, ...(label !== '' && { label }) }] : []
}

const BANKED_MAX = 999

/** Empty for anything but a plausible number, so that an odd one is no count of 0. */
function bankedCountIn(wire: unknown): Pick<QuotaSample, 'bankedResetCount'> {
  const { available_count: count } = snakeKeys(wire)
  const isCount = Number.isInteger(count) && Number(count) >= 0 && Number(count) <= BANKED_MAX
  return isCount ? { bankedResetCount: Number(count) } : {}
}

function spendIn(wire: unknown, sampledAt: EpochMs): QuotaSample['spendReached'] {
  const { reached, individual_limit } = snakeKeys(wire)
  if (reached !== true && reached !== 'true') return null
  const limit = snakeKeys(individual_limit)
  return { resetAt: resetAtIn((field) => limit[field], sampledAt) }
}

/** The members of an object, whose keys may be in snake or camel case; empty for anything else. */
export function snakeKeys(wire: unknown): WireRecord {
  if (!isRecord(wire)) return {}
  // `Object.fromEntries` makes own properties, so a key called `__proto__` stays a plain key.
  return Object.fromEntries(
    Object.entries(wire).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )
}
