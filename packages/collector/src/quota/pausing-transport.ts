import type { Account } from '@svc/core'
import type { Clock } from '@svc/core/service'
import type { CollectorReport } from '../polling/collector-report.ts'
import type { ProbeResult } from '../providers/contract/provider.ts'
import { isHeld } from '../proxy/management-access.ts'
import { upstreamErrorOf } from '../proxy/upstream-error.ts'
import type { QuotaTransport } from '../transports/quota-transport.ts'
import type { CurrentRefresh } from './current-refresh.ts'
import { noPause, pauseAfterAnswer, pauseAfterBroken } from './schedule.ts'

/** Queries the vendor, and pauses all queries while the way there is down. */
export interface PausingTransport {
  /** Never throws. 'held' if nothing was sent or the answer is no longer awaited. */
  query(account: Account, isDiagnostic: boolean): Promise<ProbeResult | 'held'>
  /** Monotonic milliseconds. */
  pausedUntilMs(): number
  endPause(): void
}

export interface PausingTransportDeps {
  readonly clock: Clock
  readonly random: () => number
  readonly report: Pick<CollectorReport, 'count'>
  /** Ends every query. */
  readonly stop: AbortSignal
}

export function createPausingTransport(
  transport: Pick<QuotaTransport, 'query' | 'endpointOf'>,
  refresh: Pick<CurrentRefresh, 'queryBroke'>,
  { clock, random, report, stop }: PausingTransportDeps,
): PausingTransport {
  let pause = noPause
  return {
    async query(account, isDiagnostic) {
      try {
        const result = await transport.query(account, stop, isDiagnostic)
        pause = pauseAfterAnswer(pause)
        return result
      } catch (error) {
        const failure = upstreamErrorOf(error)
        if (isHeld(failure) || stop.aborted) return 'held'
        const { code, retryAfterSeconds } = failure
        report.count({ counter: 'upstream_errors_total', endpoint: transport.endpointOf(account) })
        pause = pauseAfterBroken(pause, { nowMs: clock.monotonicMs(), retryAfterSeconds, random })
        refresh.queryBroke(pause.brokenInARow, code)
        return { kind: 'failed', code, httpStatus: null }
      }
    },
    pausedUntilMs: () => pause.untilMs,
    endPause() {
      pause = noPause
    },
  }
}
