import { isRecord } from './wire-fields.ts'

/** True for the proxy's own words that a vendor refused to renew a token, alone or as its `error`. See docs/upstream.md#forwarded-calls. */
export function isRefusedRefresh(body: unknown): boolean {
  const words = isRecord(body) ? body.error : body
  return typeof words === 'string' && /^auth token refresh failed\b/i.test(words.trim())
}
