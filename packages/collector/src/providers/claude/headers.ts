import type { EpochMs, QuotaSample, WindowReading } from '@svc/core'
import { isMainWindow } from '@svc/core/service'
import { instantFrom, numberFrom, textFrom } from '../../wire/wire-fields.ts'
import { headerTextsOf } from '../contract/header-texts.ts'
import { percentLeft } from '../contract/percent-left.ts'
import { EMPTY_SAMPLE, windowOfLimit } from './usage-document.ts'

/** The quota in the vendor's headers, or in the proxy's `signals` of the same names; null if they have none. See docs/upstream.md#claude-quota. */
export function windowsFromHeaders(headers: unknown, sampledAt: EpochMs): QuotaSample | null {
  const { limits, isRefused } = unifiedLimitsIn(headers)
  if (limits.length === 0 && !isRefused) return null
  const organization = textFrom(headerTextsOf(headers).get('anthropic-organization-id'))
  return {
    ...EMPTY_SAMPLE,
    origin: 'headers',
    sampledAt,
    windows: limits.map(({ reading }) => reading),
    limitReached: isRefused,
    ...(organization !== null && { vendorIdentity: organization }),
  }
}

/** Limits by the headers of an answer. */
interface UnifiedLimits {
  /** One that is rejecting requests has nothing left. */
  readonly limits: readonly { readonly reading: WindowReading; readonly isRejecting: boolean }[]
  /** True if the account is refused, not only one of its models. */
  readonly isRefused: boolean
}

const PREFIX = 'anthropic-ratelimit-unified-'
/** A limit by its length, and by the model or feature that it is for. */
const LIMIT =
  /^anthropic-ratelimit-unified-([1-9]\d{0,2}[hd](?:_[a-z0-9_]{1,40})?)-(?:status|utilization|reset)$/
const LIMITS_MAX = 32

/** Reads the limits in the vendor's headers, which give the used share as a fraction. */
export function unifiedLimitsIn(headers: unknown): UnifiedLimits {
  const texts = headerTextsOf(headers)
  const whole = (field: string) => texts.get(`${PREFIX}${field}`)
  // The status and the reset of the answer as a whole are those of the limit that it names.
  const claimed = limitOfClaim(whole('representative-claim') ?? '')
  const listed = [...texts.keys()].flatMap((name) => LIMIT.exec(name)?.[1] ?? [])
  const names = [...new Set([...listed, ...(claimed === null ? [] : [claimed])])]
  const fieldOf = (name: string, field: string) =>
    whole(`${name}-${field}`) || (name === claimed ? whole(field) : undefined)

  const read = names.slice(0, LIMITS_MAX).map((name) => {
    const status = wordOf(fieldOf(name, 'status'))
    const used = numberFrom(fieldOf(name, 'utilization'))
    const isRejecting = status === 'rejected'
    const percent = isRejecting ? 0 : percentLeft(used === null ? null : used * 100)
    const window = windowOfLimit(name)
    const resetAt = instantFrom(fieldOf(name, 'reset'))
    const reading = percent === null ? null : { ...window, percent, resetAt }
    return { reading, isRejecting, isMain: isMainWindow(window.id), status }
  })
  const main = read.filter(({ isMain }) => isMain)
  const rejecting = read.filter(({ isRejecting }) => isRejecting)
  const isServed = main.length > 0 && main.every(({ status }) => status.startsWith('allowed'))
  return {
    limits: read.flatMap(({ reading, isRejecting }) =>
      reading === null ? [] : [{ reading, isRejecting }],
    ),
    isRefused:
      rejecting.length > 0
        ? rejecting.some(({ isMain }) => isMain)
        : wordOf(whole('status')) === 'rejected' && !isServed,
  }
}

/** The limit that speaks for the whole answer, by its name in other headers; null if it is none of those. */
function limitOfClaim(claim: string): string | null {
  const [, length, scope] = /^(five_hour|seven_day)((?:_[a-z0-9]+)*)$/.exec(wordOf(claim)) ?? []
  if (length === undefined || scope === undefined) return null
  return `${length === 'five_hour' ? '5h' : '7d'}${scope === '_overage_included' ? '_oi' : scope}`
}

function wordOf(value: string | undefined): string {
  return value?.trim().toLowerCase() ?? ''
}
