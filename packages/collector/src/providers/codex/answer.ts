import type { EpochMs, QuotaSample } from '@svc/core'
import { retryAfterSecondsOf } from '../../wire/retry-after.ts'
import type { ProbeResult, VendorAnswer } from '../contract/provider.ts'
import { codexQuotaSampleOf } from './usage-document.ts'

/** Reads the vendor's answer to a quota request. See docs/upstream.md#codex-quota and docs/rules.md#refused-logins. */
export function windowsOf({
  status: httpStatus,
  headers,
  body,
  receivedAt,
}: VendorAnswer): ProbeResult {
  if (httpStatus === 200) {
    const sample = sampleOf(body, receivedAt)
    return sample === null
      ? { kind: 'failed', code: 'bad_payload', httpStatus }
      : { kind: 'sample', sample }
  }
  if (headers.get('cf-mitigated') !== null || (httpStatus === 403 && isPage(headers, body)))
    return { kind: 'blocked', httpStatus }
  if (httpStatus === 401 || httpStatus === 402) return { kind: 'auth', httpStatus }
  if (httpStatus === 429)
    return {
      kind: 'throttled',
      httpStatus,
      retryAfterSeconds: retryAfterSecondsOf(headers, receivedAt),
    }
  return {
    kind: 'failed',
    code: httpStatus >= 500 ? 'server_error' : 'unexpected_status',
    httpStatus,
  }
}

function sampleOf(body: string, receivedAt: EpochMs): QuotaSample | null {
  try {
    return codexQuotaSampleOf(JSON.parse(body), receivedAt)
  } catch {
    return null
  }
}

function isPage(headers: VendorAnswer['headers'], body: string): boolean {
  return /^text\/html/i.test(headers.get('content-type') ?? '') || body.trimStart().startsWith('<')
}
