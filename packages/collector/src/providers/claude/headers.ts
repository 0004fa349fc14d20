import type { EpochMs, QuotaSample } from '@svc/core'
import { instantFrom, numberFrom, textFrom } from '../../wire/wire-fields.ts'
import { headerTextsOf } from '../contract/header-texts.ts'
import { percentLeft } from '../contract/percent-left.ts'
import { EMPTY_SAMPLE, premiumWeekly, session, weekly } from './usage-document.ts'

const HEADER_WINDOWS = { '5h': session, '7d': weekly, '7d_oi': premiumWeekly }

/** The quota in the vendor's headers, or in the proxy's `signals` of the same names; null if they have none. See docs/upstream.md#claude-quota. */
export function windowsFromHeaders(headers: unknown, sampledAt: EpochMs): QuotaSample | null {
  const windows = unifiedLimitsIn(headers).map(({ reading }) => reading)
  if (windows.length === 0) return null
  const organization = textFrom(headerTextsOf(headers).get('anthropic-organization-id'))
  const identity = organization === null ? {} : { vendorIdentity: organization }
  return { ...EMPTY_SAMPLE, origin: 'headers', sampledAt, windows, ...identity }
}

/** The windows in the vendor's headers, which give the used share as a fraction. One that is rejecting requests has nothing left. */
export function unifiedLimitsIn(headers: unknown) {
  const texts = headerTextsOf(headers)
  return Object.entries(HEADER_WINDOWS).flatMap(([name, window]) => {
    const field = (key: string) => texts.get(`anthropic-ratelimit-unified-${name}-${key}`)
    const isRejecting = field('status')?.trim().toLowerCase() === 'rejected'
    const used = numberFrom(field('utilization'))
    const percent = isRejecting ? 0 : percentLeft(used === null ? null : used * 100)
    if (percent === null) return []
    return [{ reading: { ...window, percent, resetAt: instantFrom(field('reset')) }, isRejecting }]
  })
}
