import { diskRoomOf } from '@svc/core/health'
import type { Clock } from '@svc/core/service'
import type { RetentionPlan } from '@svc/history'
import type { TrustedClock } from '../clock/trusted-clock.ts'
import type { Report } from '../metrics/event-counters.ts'
import type { Channel } from '../threads/channel.ts'
import { isOpenOrSilent, type StoreEvent, type StoreState } from './store-state.ts'
import type { WriterApi } from './writer-thread.ts'

interface StoreUpkeepDeps {
  readonly clock: Clock
  readonly trustedClock: TrustedClock
  readonly call: Channel<WriterApi>['call']
  readonly state: () => StoreState
  readonly note: (event: StoreEvent) => void
  readonly retention: RetentionPlan
  /** Whether this monitor deletes old rows, rather than another monitor of the same store. */
  readonly forgets: () => boolean
  readonly report: Pick<Report, 'setBacklog' | 'setLag'>
}

const MAINTAIN_EVERY_MS = 60_000
const FIRST_MAINTAIN_MS = 2_000
const FORGET_EVERY_MS = 60_000
/** Pause between two slots of deletion: its length in slots, and its minimum in milliseconds. */
const PAUSE_PER_FORGETTING = 9
const FORGET_PAUSE_MS_MIN = 100

/** The regular work on an open store: maintenance, and deleting what is too old. */
export function createStoreUpkeep(deps: StoreUpkeepDeps) {
  const { clock, trustedClock, call, state, note } = deps
  let round = 0
  let cancelMaintaining = () => {}
  let cancelForgetting = () => {}

  const pause = () => {
    round += 1
    cancelMaintaining()
    cancelForgetting()
  }

  /** Deletes expired rows a little at a time, in at most a tenth of the thread's time. */
  const forget = async (begun: number): Promise<void> => {
    const asOf = deps.forgets() ? trustedClock.forgettingTime() : null
    const startedMs = clock.monotonicMs()
    const report =
      asOf === null ? null : await call('forget', [deps.retention, asOf]).catch(() => null)
    if (begun !== round || !isOpenOrSilent(state())) return
    if (asOf !== null && report !== null && state().hanging === null) {
      trustedClock.forgotten(asOf)
      const backlogSeconds = report.backlogMs / 1000
      note({ kind: 'forgotten', backlogSeconds })
      deps.report.setBacklog(backlogSeconds)
    }
    const tookMs = clock.monotonicMs() - startedMs
    const pauseMs =
      report?.more === true
        ? Math.max(FORGET_PAUSE_MS_MIN, PAUSE_PER_FORGETTING * tookMs)
        : FORGET_EVERY_MS
    cancelForgetting = clock.schedule(pauseMs, () => void forget(begun))
  }

  const maintain = async (begun: number): Promise<void> => {
    const report = await call('maintain', [trustedClock.usageNow()]).catch(() => null)
    if (begun !== round || !isOpenOrSilent(state())) return
    if (report !== null) {
      trustedClock.storeSaid(report)
      deps.report.setLag(report.lagSeconds)
      const { engine } = report
      const use = engine.name === 'sqlite' ? engine.use : undefined
      const days = deps.retention.usageDays
      note({
        kind: 'maintained',
        engine,
        missedSeconds: report.missedMs / 1000,
        ...(use === undefined ? {} : { disk: diskRoomOf(use, days, trustedClock.usageNow()) }),
      })
    }
    cancelMaintaining = clock.schedule(MAINTAIN_EVERY_MS, () => void maintain(begun))
  }

  return {
    begin() {
      pause()
      const begun = round
      cancelMaintaining = clock.schedule(FIRST_MAINTAIN_MS, () => void maintain(begun))
      cancelForgetting = clock.schedule(FIRST_MAINTAIN_MS, () => void forget(begun))
    },
    /** Stops until `begin` is called again. */
    pause,
  }
}
