import type { EpochMs, QuotaSample } from '@svc/core'
import { retryAfterSecondsOf } from '@svc/core/service'
import type { ProbeResult, VendorAnswer } from './provider.ts'

/** Reads the document of a good answer with `sampleOf`, or says why there is none. See docs/upstream.md#codex-quota. */
export function readQuotaAnswer(
  answer: VendorAnswer,
  sampleOf: (document: unknown, sampledAt: EpochMs) => QuotaSample | null,
): ProbeResult {
  const { status: httpStatus, body, receivedAt } = answer
  if (httpStatus !== 200) return failureOf(answer)
  const sample = sampleOf(documentOf(body), receivedAt)
  return sample === null
    ? { kind: 'failed', code: 'bad_payload', httpStatus }
    : { kind: 'sample', sample }
}

/** The JSON in a body; undefined if it is none. */
export function documentOf(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The reason an answer other than 200 has no quota, by the rules all vendors share. */
export function failureOf(answer: VendorAnswer): ProbeResult {
  const { status: httpStatus, headers, receivedAt } = answer
  if (headers.get('cf-mitigated') !== null || (httpStatus === 403 && isPage(answer)))
    return { kind: 'blocked', httpStatus }
  if (httpStatus === 401) return { kind: 'auth', httpStatus }
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

function isPage({ headers, body }: VendorAnswer): boolean {
  return /^text\/html/i.test(headers.get('content-type') ?? '') || body.trimStart().startsWith('<')
}
