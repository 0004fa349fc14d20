import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Clock } from '@svc/core/service'

export type RefreshAuthMode = 'page-token' | 'management-key' | 'none'

/** Who may ask for a refresh. */
export interface RefreshAuth {
  readonly mode: RefreshAuthMode
  /** To be put into the dashboard page and nowhere else; null in the other modes. */
  readonly pageToken: string | null
  /** Whether there is anything to judge a credential by. */
  available(): Promise<boolean>
  /** What a request proves. `foreign`: no credential is asked for, and another site sent it. */
  judge(
    request: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
  ): Promise<'allowed' | 'unauthorized' | 'foreign'>
  /** How long to wait before the next refusal, in milliseconds: guessing in a hurry is answered slowly. */
  refusalDelayMs(): number
}

const TOKEN_BYTES = 32
const TOKEN_HEADER = 'x-svc-quota-monitor-refresh-token'
/** One space, and nothing but what RFC 6750 lets a token be. */
const BEARER = /^bearer ([A-Za-z0-9._~+/-]+=*)$/i
/** See docs/security.md. */
const REFUSALS_PER_MINUTE = 20
const REFUSAL_DELAY_MS = 1000

/** The pipeline, as far as it knows the key. */
export interface KeyJudge {
  refreshAvailable(): Promise<boolean>
  isManagementKey(text: string): Promise<boolean | null>
}

export function createRefreshAuth(
  mode: RefreshAuthMode,
  judge: KeyJudge,
  clock: Clock,
): RefreshAuth {
  const pageToken = mode === 'page-token' ? randomBytes(TOKEN_BYTES).toString('base64url') : null
  const tokenDigest = pageToken === null ? null : digestOf(pageToken)
  let refusedAtMs: number[] = []

  return {
    mode,
    pageToken,
    available: async () =>
      (await judge.refreshAvailable()) &&
      (mode !== 'management-key' || (await judge.isManagementKey('')) !== null),
    async judge({ headers, rawHeaders }) {
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
          // Node keeps the first of several without a word.
          const isSingle =
            rawHeaders.filter(
              (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
            ).length === 1
          const key = BEARER.exec(headers.authorization ?? '')?.[1]
          return isSingle && key !== undefined && (await judge.isManagementKey(key)) === true
            ? 'allowed'
            : 'unauthorized'
        }
        case 'none': {
          const site = headers['sec-fetch-site']
          return site === undefined || site === 'same-origin' || site === 'none'
            ? 'allowed'
            : 'foreign'
        }
        default:
          return mode satisfies never
      }
    },
    refusalDelayMs() {
      const nowMs = clock.monotonicMs()
      refusedAtMs = [...refusedAtMs.filter((atMs) => nowMs - atMs < 60_000), nowMs].slice(
        -REFUSALS_PER_MINUTE - 1,
      )
      return refusedAtMs.length > REFUSALS_PER_MINUTE ? REFUSAL_DELAY_MS : 0
    },
  }
}

/** Of one length, so that comparing takes as long for any text. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
