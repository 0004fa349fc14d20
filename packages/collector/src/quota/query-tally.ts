import type { EpochMs, SourceReading } from '@svc/core'
import type { DirectQuotaTally, SourceFailureCode } from '@svc/core/service'
import type { ProbeResult } from '../providers/contract/provider.ts'

/** Newest queries that decide the state of direct quota. */
const RECENT_MAX = 20

/** Counts queries by result. */
export interface QueryTally {
  count(result: ProbeResult, at: EpochMs): void
  /** Failed only if none of the newest queries said anything about its account: one dead account does not fail the source. */
  reading(): SourceReading<DirectQuotaTally>
}

export function createQueryTally(): QueryTally {
  let succeeded = 0
  let failed = 0
  let failuresInARow = 0
  let recent: readonly boolean[] = []
  let lastGoodAt: EpochMs | null = null
  let outcome: SourceReading<DirectQuotaTally>['outcome'] = { kind: 'pending' }

  return {
    count(result, at) {
      const code = failureCodeOf(result)
      if (result.kind === 'sample') succeeded += 1
      else failed += 1
      recent = [...recent, code === null].slice(-RECENT_MAX)
      failuresInARow = code === null ? 0 : failuresInARow + 1
      if (code === null) lastGoodAt = at
      outcome =
        code === null || recent.includes(true)
          ? { kind: 'ok', at: lastGoodAt ?? at }
          : { kind: 'failed', code, at }
    },
    reading() {
      const recentFailed = recent.filter((informative) => !informative).length
      const value = { succeeded, failed, recentFailed, recentCount: recent.length }
      return {
        outcome,
        failuresInARow,
        lastGood: lastGoodAt === null ? null : { value, at: lastGoodAt },
      }
    },
  }
}

/** Failure of a query; null for an answer about the account, which proves that queries get through. */
function failureCodeOf(result: ProbeResult): SourceFailureCode | null {
  switch (result.kind) {
    case 'sample':
    case 'auth':
      return null
    case 'blocked':
      return 'blocked_by_vendor'
    case 'throttled':
      return 'throttled'
    case 'failed':
      return result.code
    default:
      return result satisfies never
  }
}
