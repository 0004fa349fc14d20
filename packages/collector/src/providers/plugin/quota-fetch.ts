import { type EpochMs, type QuotaSample, type WindowReading, windowIdOf } from '@svc/core'
import {
  displayText,
  instantFrom,
  isRecord,
  numberFrom,
  recordIn,
  textFrom,
  type WireRecord,
} from '../../wire/wire-fields.ts'
import type { ProbeResult } from '../contract/provider.ts'
import {
  EMPTY_SAMPLE,
  failedAtStatus,
  leastLeftOfEach,
  percentOfShareLeft,
  secondsOfWord,
  slugOf,
} from '../contract/quota-answer.ts'

const GROUPS_MAX = 32
const BUCKETS_MAX = 32
const NAME_LENGTH_MAX = 64

/**
 * Reads a plugin's quota as passed on by the proxy; null for anything else. Figures without a window, such as a balance, are not quota. See
 * docs/upstream.md#plugin-quota.
 */
export function pluginQuotaOf(body: unknown, sampledAt: EpochMs): QuotaSample | null {
  if (!isRecord(body) || body.error !== undefined) return null
  const listed = body.groups ?? []
  if (!Array.isArray(listed)) return null
  const groups = listed.filter(isRecord).slice(0, GROUPS_MAX)
  if (listed.length > 0 && groups.length === 0) return null

  // Named by its words even if it cannot be read now: the account's own windows must not change places with another group's.
  const main = groups.findIndex((group) =>
    bucketsOf(group).some((bucket) => isRecord(bucket) && secondsOfWord(bucket.window) !== null),
  )
  const read = groups.flatMap((group, index) => {
    const scope = slugOf(group.displayName) || `group_${index + 1}`
    return bucketsOf(group).map((bucket) => ({
      window: windowOf(bucket, { group, scope, isMain: index === main }),
      mayBeMain: main === -1 || index === main,
    }))
  })
  const { plan, tierName } = recordIn(body.subscription)
  const planName = textFrom(plan) ?? textFrom(tierName)
  return {
    ...EMPTY_SAMPLE,
    sampledAt,
    plan: planName === null ? null : displayText(planName, NAME_LENGTH_MAX),
    windows: leastLeftOfEach(read.map(({ window }) => window).filter((window) => window !== null)),
    unreadableWindowCount: read.filter((one) => one.window === null && one.mayBeMain).length,
    ...(read.length === 0 ? { reportsNone: true } : {}),
  }
}

function bucketsOf({ buckets }: WireRecord): readonly unknown[] {
  return Array.isArray(buckets) ? buckets.slice(0, BUCKETS_MAX) : []
}

interface Place {
  readonly group: WireRecord
  readonly scope: string
  readonly isMain: boolean
}

function windowOf(bucket: unknown, { group, scope, isMain }: Place): WindowReading | null {
  if (!isRecord(bucket)) return null
  const word = slugOf(bucket.window)
  const percent = percentOfShareLeft(numberFrom(bucket.remainingFraction))
  if (word === '' || percent === null) return null

  const periodSeconds = secondsOfWord(bucket.window)
  const kind = periodSeconds === null ? word : windowIdOf(periodSeconds)
  const label = displayText(textFrom(group.displayName) ?? '', NAME_LENGTH_MAX)
  const reading = {
    periodSeconds,
    percent,
    resetAt: instantFrom(bucket.resetTime),
  }
  if (isMain && periodSeconds !== null) return { id: kind, ...reading }
  return { id: `${scope}:${kind}`, ...reading, ...(label === '' ? {} : { label }) }
}

/** The reason why an answer other than 200 has no quota. The status is the proxy's own, so it never concerns the login. */
export function pluginFailureOf(httpStatus: number): ProbeResult {
  // No plugin answers for this provider; all built-in providers are refused so.
  if (httpStatus === 501) return { kind: 'unavailable', httpStatus }
  if (httpStatus === 429) return { kind: 'throttled', httpStatus, retryAfterSeconds: null }
  return failedAtStatus(httpStatus)
}
