import { type Clock, epochMs } from '@svc/core'
import { createDemoRefresher } from '@svc/demo'
import { createWireText } from '@svc/views'
import { createRefreshAuth, type RefreshAuthMode } from '../guards/refresh-auth.ts'
import { createRefreshJob } from '../monitor/refresh-job.ts'
import type { QuotaRefreshDeps } from '../routes/quota-refresh.ts'

const systemClock: Clock = {
  now: () => epochMs(Date.now()),
  monotonicMs: () => performance.now(),
  schedule(delayMs, task) {
    const timer = setTimeout(task, delayMs)
    return () => clearTimeout(timer)
  },
}

/** A refresh of the sample pool, asked for in this mode. */
export function aDemoRefresh(mode: RefreshAuthMode): QuotaRefreshDeps {
  const refresher = createDemoRefresher(systemClock)
  return {
    auth: createRefreshAuth(mode, refresher, systemClock),
    job: createRefreshJob({
      refresher,
      probesPerMinute: 30,
      clock: systemClock,
      log: { debug() {}, info() {}, warn() {}, error() {} },
      onEnded() {},
    }),
    isShown: () => Promise.resolve(),
    text: createWireText('UTC'),
    clock: systemClock,
  }
}
