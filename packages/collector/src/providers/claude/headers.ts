import type { EpochMs, QuotaSample } from '@svc/core'
import { instantFrom, isRecord, numberFrom, textFrom } from '../../wire/wire-fields.ts'
import { percentLeft } from '../contract/percent-left.ts'
import { EMPTY_SAMPLE, premiumWeekly, session, weekly } from './usage-document.ts'

const HEADER_WINDOWS = { '5h': session, '7d': weekly, '7d_oi': premiumWeekly }

/** The quota in the vendor's headers, or in the proxy's `signals` of the same names; null if they have none. See docs/upstream.md#claude-quota. */
export function windowsFromHeaders(headers: unknown, sampledAt: EpochMs): QuotaSample | null {
  const windows = unifiedLimitsIn(headers).map(({ reading }) => reading)
  if (windows.length === 0) return null
  const organization = textFrom(textsOf(headers).get('anthropic-organization-id'))
  const identity = organization === null ? {} : { vendorIdentity: organization }
  return { ...EMPTY_SAMPLE, origin: 'headers', sampledAt, windows, ...identity }
}

/** The windows in the vendor's headers, which give the used share as a fraction. One that is rejecting requests has nothing left. */
export function unifiedLimitsIn(headers: unknown) {
  const texts = textsOf(headers)
  return Object.entries(HEADER_WINDOWS).flatMap(([name, window]) => {
    const field = (key: string) => texts.get(`anthropic-ratelimit-unified-${name}-${key}`)
    const isRejecting = field('status')?.trim().toLowerCase() === 'rejected'
    const used = isRejecting ? 1 : numberFrom(field('utilization'))
    if (used === null) return []
    const percent = percentLeft(used * 100)
    return [{ reading: { ...window, percent, resetAt: instantFrom(field('reset')) }, isRejecting }]
  })
}

/** Headers that are text, by their names in lower case. */
function textsOf(headers: unknown): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const [name, values] of Object.entries(isRecord(headers) ? headers : {})) {
    const value: unknown = Array.isArray(values) ? values[0] : values
    if (typeof value === 'string') texts.set(name.toLowerCase(), value)
  }
  return texts
}
