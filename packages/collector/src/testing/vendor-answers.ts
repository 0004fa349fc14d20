import type { QuotaSample } from '@svc/core'
import { NOW } from '@svc/core/testing'
import type { VendorAnswer } from '../providers/contract/provider.ts'

/** An answer that came now; a body that is no text is sent as JSON. */
export const aVendorAnswer = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): VendorAnswer => ({
  status,
  headers: new Headers(headers),
  body: typeof body === 'string' ? body : JSON.stringify(body),
  receivedAt: NOW,
})

/** A sample of now in which the vendor says nothing. */
export const emptySample: QuotaSample = {
  origin: 'direct',
  sampledAt: NOW,
  plan: null,
  windows: [],
  unreadableWindowCount: 0,
  limitReached: false,
  spendReached: null,
}
