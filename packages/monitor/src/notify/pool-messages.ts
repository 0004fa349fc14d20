import type { Config } from '@svc/config'
import { DAY_MS, type EpochMs, MINUTE_MS, type Snapshot } from '@svc/core'
import { REOPENS_WITHIN_MS } from '@svc/core/health'
import type { Clock, Log } from '@svc/core/service'
import { createNotifier } from '@svc/notify'
import { noticesView, type Wording } from '@svc/views'
import type { Report } from '../metrics/event-counters.ts'
import { type History, isHeldElsewhere } from '../store/history.ts'

export interface PoolMessagesDeps {
  /** Null if nothing is kept. */
  readonly history: Pick<History, 'rememberTold' | 'shared' | 'state'> | null
  readonly text: Wording
  readonly clock: Clock
  readonly random: () => number
  readonly fetch: typeof fetch
  readonly report: Pick<Report, 'count'>
  readonly log: Log
}

/** Null without targets. */
export function createPoolMessages(
  { targets }: Config['notify'],
  { history, text, report, ...deps }: PoolMessagesDeps,
) {
  if (targets.length === 0) return null
  const shared = history?.shared ?? null
  /** Whether another process holds the store file and so sends the messages. */
  const isHeld = () => history !== null && isHeldElsewhere(history.state())
  let isSeeded = history === null
  let heard = () => {}
  let hasBegun = false
  const count = (target: string, result: 'sent' | 'lost', by: number) =>
    report.count({ counter: 'notifications_total', target, result, by })
  const settledAtMs = deps.clock.monotonicMs() + REOPENS_WITHIN_MS
  const notifier = createNotifier({
    ...deps,
    targets,
    minuteOfDay: (at) => minuteOfDay(at, text),
    words: text.words.notices,
    keep: history === null ? null : history.rememberTold,
    mayTell() {
      if ((shared !== null && !shared.writesCourse()) || isHeld()) return false
      // A store that is being opened may say that all was told; one that fails may do so for days.
      const mayTell = isSeeded || history?.state().kind === 'failing'
      hasBegun ||= mayTell
      return mayTell
    },
    onEnd: (target, result) => count(target, result, 1),
    onChange: () => heard(),
  })
  for (const { name } of targets)
    for (const result of ['sent', 'lost'] as const) count(name, result, 0)
  return {
    standings: notifier.standings,
    /** `previous`: the snapshot before this one; null for the first. */
    onSnapshot(snapshot: Snapshot, previous: Snapshot | null) {
      // Before the first round has ended nothing is known to be over; by a wrong clock nothing is known to have lasted.
      if (snapshot.health.state === 'unknown' || snapshot.clockDoubt !== null)
        return notifier.onNotices(null)
      const isSettling = deps.clock.monotonicMs() < settledAtMs
      notifier.onNotices({ ...noticesView(previous, snapshot, text), isSettling })
    },
    /** Continues from the messages of an earlier process; ignores them if the store opens too late. */
    seed(told: ReadonlyMap<string, string>) {
      if (!hasBegun) notifier.restore(told)
      isSeeded = true
    },
    /** Continues from the messages of another monitor, unless this monitor is the one that sends them. */
    follow(told: ReadonlyMap<string, string>) {
      if (shared?.writesCourse() !== true) notifier.restore(told)
    },
    /** Calls `onChange` whenever a standing changes. */
    start(onChange: () => void) {
      heard = onChange
    },
    stop: notifier.stop,
  }
}

function minuteOfDay(at: EpochMs, { offsetMs }: Pick<Wording, 'offsetMs'>): number {
  return Math.floor(((at + offsetMs(at)) % DAY_MS) / MINUTE_MS)
}
