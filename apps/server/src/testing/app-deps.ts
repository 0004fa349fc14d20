import { fixedClock, silentLog } from '@svc/core/testing'
import { createDemoRefresher } from '@svc/demo'
import type { HistoryAnswers, ReadyAnswer } from '@svc/monitor'
import { createRefreshJob } from '@svc/monitor'
import { createWording } from '@svc/views'
import { createRefreshAuth, type RefreshAuthMode } from '../guards/refresh-auth.ts'
import type { QuotaRefreshDeps } from '../routes/quota-refresh.ts'

/** A refresh of the sample pool with this auth mode. */
export function aDemoRefresh(mode: RefreshAuthMode): QuotaRefreshDeps {
  const clock = fixedClock()
  const refresher = createDemoRefresher(clock)
  const job = createRefreshJob({
    refresher,
    quotaProbesPerMinute: 30,
    clock,
    log: silentLog,
    onEnded() {},
  })
  const judge = {
    refreshAvailable: async () => refresher.available(),
    isManagementKey: async (text: string) => refresher.isManagementKey(text),
  }
  return {
    auth: createRefreshAuth(mode, judge, clock),
    elsewhere: async () => null,
    request: async (target) => job.request(target),
    cancel: async () => job.cancel(),
    text: createWording('UTC'),
    clock,
  }
}

/** A history whose answers are all the given one. */
export function historyOf(answer: ReadyAnswer, rows: HistoryAnswers['rows']): HistoryAnswers {
  const give = async () => answer
  const part = async () => ({ answer })
  return {
    ...{ chart: part, course: give, account: give, healthHistory: give, cycles: part },
    ...{ failures: part, prices: give, rows },
  }
}
