import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Clock } from '@svc/core/service'
import type { PipelineClient } from '@svc/monitor'

export type RefreshAuthMode = 'page-token' | 'management-key' | 'none'

const TOKEN_BYTES = 32
const TOKEN_HEADER = 'x-svc-quota-monitor-refresh-token'
/** One space, then only the characters that RFC 6750 allows in a token. */
const BEARER = /^bearer ([A-Za-z0-9._~+/-]+=*)$/i
/** See docs/security.md. */
const REFUSALS_PER_MINUTE = 20
const REFUSAL_DELAY_MS = 1000

/** The part of the pipeline that can check a management key. */
export type KeyJudge = Pick<PipelineClient, 'refreshAvailable' | 'isManagementKey'>

/** Decides which requests may start a quota refresh. */
export function createRefreshAuth(mode: RefreshAuthMode, judge: KeyJudge, clock: Clock) {
  const pageToken = mode === 'page-token' ? randomBytes(TOKEN_BYTES).toString('base64url') : null
  const tokenDigest = pageToken === null ? null : digestOf(pageToken)
  let refusedAtMs: number[] = []

  return {
    mode,
    /** Token for the dashboard page only; null in the other modes. */
    pageToken,
    /** Whether a credential can be checked at all. */
    available: async (): Promise<boolean> =>
      (await judge.refreshAvailable()) &&
      (mode !== 'management-key' || (await judge.isManagementKey('')) !== null),
    /** Judges the credentials of a request. `foreign`: no credential is required, but another site sent the request. */
    async judge({
      headers,
      rawHeaders,
    }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): Promise<
      'allowed' | 'unauthorized' | 'foreign'
    > {
      switch (mode) {
        case 'page-token': {
          const given = headers[TOKEN_HEADER]
          const matches =
            typeof given === 'string' &&
            tokenDigest !== null &&
            timingSafeEqual(digestOf(given), tokenDigest)
          return matches ? 'allowed' : 'unauthorized'
        }
        case 'management-key': {
          // Node silently keeps only the first of several such headers.
          const isSingle =
            rawHeaders.filter(
              (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
            ).length === 1
          const key = BEARER.exec(headers.authorization ?? '')?.[1]
          return isSingle && key !== undefined && (await judge.isManagementKey(key)) === true
            ? 'allowed'
            : 'unauthorized'
        }
        case 'none':
          return isOfOtherSite(headers) ? 'foreign' : 'allowed'
        default:
          return mode satisfies never
      }
    },
    /** Delay before the next refusal, in milliseconds: rapid guessing gets slow answers. */
    refusalDelayMs() {
      const nowMs = clock.monotonicMs()
      refusedAtMs = [...refusedAtMs.filter((atMs) => nowMs - atMs < 60_000), nowMs].slice(
        -REFUSALS_PER_MINUTE - 1,
      )
      return refusedAtMs.length > REFUSALS_PER_MINUTE ? REFUSAL_DELAY_MS : 0
    },
  }
}

export type RefreshAuth = ReturnType<typeof createRefreshAuth>

/** Whether the browser reports that a page of another site sent the request. */
export function isOfOtherSite({ 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

/** SHA-256, so that both sides of the constant-time comparison have the same length. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
