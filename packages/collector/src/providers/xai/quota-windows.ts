import { type EpochMs, plusMs, type QuotaSample, type WindowReading } from '@svc/core'
import {
  instantFrom,
  isRecord,
  numberFrom,
  recordIn,
  textFrom,
  type WireRecord,
} from '../../wire/wire-fields.ts'
import {
  EMPTY_SAMPLE,
  percentLeft,
  percentOfShareLeft,
  unknownKeysIn,
  unknownNamesOf,
  windowOfLength,
} from '../contract/quota-answer.ts'
import { headerTextsOf } from '../contract/statements.ts'

const DAY_SECONDS = 86_400
const WEEK = windowOfLength(7 * DAY_SECONDS)
const MONTH = windowOfLength(30 * DAY_SECONDS)
/** Longest period and longest time to a reset; larger values are misread numbers. */
const PERIOD_SECONDS_MAX = 366 * DAY_SECONDS
/** Known keys of a bill: keys that are read, and keys that say nothing about quota. */
const KNOWN_KEYS = new Set([
  ...['currentPeriod', 'creditUsagePercent', 'productUsage', 'onDemandCap', 'onDemandUsed'],
  ...['prepaidBalance', 'isUnifiedBillingUser', 'topUpMethod', 'billingPeriodStart'],
  ...['billingPeriodEnd', 'monthlyLimit', 'used', 'history'],
])

/** Reads a billing document; null for anything else. See docs/upstream.md#xai-quota. */
export function xaiQuotaSampleOf(wire: unknown, sampledAt: EpochMs): QuotaSample | null {
  const { config } = recordIn(wire)
  if (!isRecord(config)) return null
  const { currentPeriod: period, creditUsagePercent: total, productUsage } = config
  const parts = sumOf(productUsage)
  const hasFigure = (total ?? null) !== null || parts !== 0
  const hasAllowance = hasFigure || Object.keys(recordIn(period)).length > 0
  const usage = usageOf(total, parts)
  const allowance = hasAllowance ? allowanceOf(recordIn(period), usage, sampledAt) : null
  const windows = [allowance, extraUsageIn(config)].filter((window) => window !== null)
  return {
    ...EMPTY_SAMPLE,
    sampledAt,
    windows,
    ...(hasAllowance && allowance === null && { unreadableWindowCount: 1 }),
    ...(!hasAllowance && windows.length === 0 && { reportsNone: true }),
    ...unknownNamesOf(unknownKeysIn(config, KNOWN_KEYS)),
  }
}

/** The rolling day of a free account, by tokens or requests, whichever has less left; null if the headers name no tokens. */
export function windowsFromHeaders(headers: unknown, sampledAt: EpochMs): QuotaSample | null {
  const texts = headerTextsOf(headers)
  const shareOf = (unit: string) => {
    const limit = numberFrom(texts.get(`x-ratelimit-limit-${unit}`)) ?? 0
    const remaining = numberFrom(texts.get(`x-ratelimit-remaining-${unit}`)) ?? -1
    return limit > 0 && remaining >= 0 && remaining <= limit ? remaining / limit : null
  }
  const tokens = shareOf('tokens')
  if (tokens === null) return null
  const percent = percentOfShareLeft(Math.min(tokens, shareOf('requests') ?? 1))
  if (percent === null) return null
  const day = { id: 'day', periodSeconds: DAY_SECONDS, percent, resetAt: null }
  return { ...EMPTY_SAMPLE, origin: 'headers', sampledAt, windows: [day] }
}

/** Sum of the percentages of the allowance used by each product; NaN if one is unreadable. */
function sumOf(products: unknown): number {
  return [products ?? []].flat().reduce<number>((sum, product) => {
    const { usagePercent = 0 } = isRecord(product) ? product : { usagePercent: null }
    const percent = numberFrom(usagePercent) ?? Number.NaN
    return percent < 0 ? Number.NaN : sum + percent
  }, 0)
}

/** Percent of the allowance used; negative if unreadable. */
type Usage = Pick<WindowReading, 'note'> & { readonly used: number }

/**
 * The total use, or the sum of its parts if the total is missing, unreadable, or 0 although the parts are not. The vendor omits a zero total, but
 * then all parts are zero.
 */
function usageOf(total: unknown, parts: number): Usage {
  if (total === undefined && parts === 0) return { used: 0, note: 'derived' }
  const used = numberFrom(total) ?? -1
  if (used > 0 || !(parts > 0)) return { used }
  return used < 0 ? { used: parts } : { used: parts, note: 'sources_disagree' }
}

/** The included allowance, named by its period's type, else by its length. */
function allowanceOf(
  period: WireRecord,
  { used, note }: Usage,
  sampledAt: EpochMs,
): WindowReading | null {
  const [startAt, endAt] = [instantFrom(period.start), instantFrom(period.end)]
  const seconds = startAt === null || endAt === null ? 0 : Math.round((endAt - startAt) / 1000)
  const isPeriod = seconds >= 1 && seconds <= PERIOD_SECONDS_MAX
  const measured = isPeriod ? windowOfLength(seconds) : null
  const type = textFrom(period.type) ?? ''
  const named = type.endsWith('_WEEKLY') ? WEEK : type.endsWith('_MONTHLY') ? MONTH : measured
  const percent = percentLeft(used)
  if (named === null || percent === null) return null
  return {
    ...(named.id === measured?.id ? measured : named),
    percent,
    resetAt: endAt !== null && endAt <= plusMs(sampledAt, PERIOD_SECONDS_MAX * 1000) ? endAt : null,
    ...(note !== undefined && { note }),
  }
}

/** Paid use beyond the allowance, in cents; null if none is allowed. */
function extraUsageIn({ onDemandCap, onDemandUsed }: WireRecord): WindowReading | null {
  const centsIn = (wire: unknown) =>
    numberFrom(isRecord(wire) ? (wire.val === undefined ? 0 : wire.val) : null)
  const [cap, used] = [centsIn(onDemandCap) ?? 0, centsIn(onDemandUsed)]
  const percent = cap <= 0 || used === null ? null : percentLeft((used / cap) * 100)
  const extra = { ...MONTH, id: 'extra_usage:month', resetAt: null, label: 'On demand' }
  return percent === null ? null : { ...extra, percent }
}
