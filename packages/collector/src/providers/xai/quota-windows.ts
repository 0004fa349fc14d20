import { type EpochMs, plusMs, type QuotaSample, type WindowReading, windowIdOf } from '@svc/core'
import { instantFrom, isRecord, numberFrom, textFrom } from '../../wire/wire-fields.ts'
import { headerTextsOf } from '../contract/header-texts.ts'
import { percentLeft } from '../contract/percent-left.ts'

type Fields = Readonly<Record<string, unknown>>
const DAY_SECONDS = 86_400
const WEEK = { id: 'week', periodSeconds: 7 * DAY_SECONDS }
const MONTH = { id: 'month', periodSeconds: 30 * DAY_SECONDS }
/** Longest period and longest time to a reset; larger values are misread numbers. */
const PERIOD_SECONDS_MAX = 366 * DAY_SECONDS

/** Reads a billing document; null for anything else. Use by product is part of the same allowance. See docs/upstream.md#xai-quota. */
export function xaiQuotaSampleOf(wire: unknown, sampledAt: EpochMs): QuotaSample | null {
  const { config } = fieldsOf(wire)
  if (!isRecord(config)) return null
  const { currentPeriod: period, creditUsagePercent: used = null } = config
  const hasAllowance = used !== null || Object.keys(fieldsOf(period)).length > 0
  const allowance = hasAllowance ? allowanceOf(fieldsOf(period), used, sampledAt) : null
  const windows = [allowance, extraUsageIn(config)].filter((window) => window !== null)
  return {
    ...sampleOf(windows, sampledAt),
    ...(hasAllowance && allowance === null && { unreadableWindowCount: 1 }),
    ...(!hasAllowance && windows.length === 0 && { reportsNone: true }),
  }
}

/** The rolling day of a free account, by tokens or requests, whichever has less left; null if the headers name no tokens. */
export function windowsFromHeaders(headers: unknown, sampledAt: EpochMs): QuotaSample | null {
  const texts = headerTextsOf(headers)
  const shareOf = (unit: string) => {
    const limit = numberFrom(texts.get(`x-ratelimit-limit-${unit}`)) ?? 0
    const remaining = numberFrom(texts.get(`x-ratelimit-remaining-${unit}`)) ?? -1
    return limit > 0 && remaining >= 0 ? remaining / limit : null
  }
  const tokens = shareOf('tokens')
  if (tokens === null) return null
  const percent = percentLeft(100 - 100 * Math.min(tokens, shareOf('requests') ?? 1))
  const day = { id: 'day', periodSeconds: DAY_SECONDS, percent, resetAt: null }
  return { ...sampleOf([day], sampledAt), origin: 'headers' }
}

function sampleOf(windows: readonly WindowReading[], sampledAt: EpochMs): QuotaSample {
  const nothingReached = { unreadableWindowCount: 0, limitReached: false, spendReached: null }
  return { origin: 'direct', sampledAt, plan: null, windows, ...nothingReached }
}

/** The included allowance, named by its period's type, else by its length. The vendor leaves out a percentage of zero. */
function allowanceOf(period: Fields, wire: unknown, sampledAt: EpochMs): WindowReading | null {
  const [startAt, endAt] = [instantFrom(period.start), instantFrom(period.end)]
  const seconds = startAt === null || endAt === null ? 0 : Math.round((endAt - startAt) / 1000)
  const isPeriod = seconds >= 1 && seconds <= PERIOD_SECONDS_MAX
  const measured = isPeriod ? { id: windowIdOf(seconds), periodSeconds: seconds } : null
  const type = textFrom(period.type) ?? ''
  const named = type.endsWith('_WEEKLY') ? WEEK : type.endsWith('_MONTHLY') ? MONTH : measured
  const used = numberFrom(wire ?? 0)
  if (named === null || used === null || used < 0) return null
  return {
    ...(named.id === measured?.id ? measured : named),
    percent: percentLeft(used),
    resetAt: endAt !== null && endAt <= plusMs(sampledAt, PERIOD_SECONDS_MAX * 1000) ? endAt : null,
    ...(wire === null && { note: 'derived' }),
  }
}

/** Money beyond the allowance, in cents; null if none may be spent. */
function extraUsageIn({ onDemandCap, onDemandUsed }: Fields): WindowReading | null {
  const centsIn = (wire: unknown) => (isRecord(wire) ? numberFrom(wire.val ?? 0) : null)
  const [cap, used] = [centsIn(onDemandCap) ?? 0, centsIn(onDemandUsed) ?? -1]
  const percent = percentLeft((used / cap) * 100)
  const window = { ...MONTH, id: 'extra_usage:month', percent, resetAt: null, label: 'On demand' }
  return cap > 0 && used >= 0 ? window : null
}

function fieldsOf(wire: unknown): Fields {
  return isRecord(wire) ? wire : {}
}
