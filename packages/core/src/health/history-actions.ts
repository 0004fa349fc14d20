import type { HistoryState } from '../facts/history-state.ts'
import type { Observation, ObservedUpstream } from '../facts/observation.ts'
import { atUpstream, type ToneAction } from './health-actions.ts'

/** A WAL file of this size means that something keeps it from being cut back. See docs/limits.md#history-store. */
const WAL_BYTES_MAX = 64 * 1024 * 1024
/** The cut moves by a day at a time, so that much may wait to be deleted. */
const BACKLOG_SECONDS_MAX = 86_400
/** A standby that is further behind than this shows charts that are visibly old. */
export const LAG_SECONDS_MAX = 60
/** The proxy's queue is read this often. */
export const QUEUE_PERIOD_SECONDS = 5
/** A proxy that keeps records for less than four polls loses some at the first hiccup. See docs/rules.md#health. */
export const QUEUE_RETENTION_SECONDS_MIN = 4 * QUEUE_PERIOD_SECONDS

/** Actions the keeping of usage asks for; none while no history is kept. */
export function historyActions(observation: Observation): readonly ToneAction[] {
  const { history, upstreams } = observation
  if (history.kind === 'off') return []
  const actions: ToneAction[] = []
  if (history.kind === 'failing') {
    const { code: reason, since, engine } = history
    actions.push({ tone: 'bad', action: { code: 'history_failing', reason, since, engine } })
  }
  if (history.kind === 'ok') actions.push(...engineActions(history))
  if (history.kind === 'ok' && history.missedSeconds >= 1) {
    actions.push({
      tone: 'warn',
      action: { code: 'usage_missed', missedSeconds: history.missedSeconds },
    })
  }
  if (history.kind === 'ok' && (history.backlogSeconds ?? 0) > BACKLOG_SECONDS_MAX) {
    actions.push({
      tone: 'warn',
      action: { code: 'history_backlog', backlogSeconds: history.backlogSeconds ?? 0 },
    })
  }
  if (history.kind === 'ok' && history.lagSeconds > LAG_SECONDS_MAX) {
    const { lagSeconds } = history
    actions.push({ tone: 'warn', action: { code: 'history_lagging', lagSeconds } })
  }
  const usageActions =
    upstreams === undefined
      ? usageActionsOf(observation)
      : upstreams.flatMap((one) => atUpstream(one.name, usageActionsOf(one)))
  return [...actions, ...usageActions]
}

/** Actions that the engine of an open store asks for. */
function engineActions({
  engine,
  readFailure,
}: Extract<HistoryState, { readonly kind: 'ok' }>): readonly ToneAction[] {
  const actions: ToneAction[] = []
  if (readFailure !== null) {
    const unreadable = { code: 'history_unreadable', engine: engine.name, ...readFailure } as const
    actions.push({ tone: 'bad', action: unreadable })
  }
  if (engine.name === 'sqlite' && engine.walBytes > WAL_BYTES_MAX) {
    const { walBytes } = engine
    actions.push({ tone: 'warn', action: { code: 'history_wal_large', walBytes } })
  }
  if (engine.name === 'postgres' && engine.isPasswordExposed === true) {
    actions.push({ tone: 'warn', action: { code: 'password_file_readable_by_others' } })
  }
  return actions
}

/** Actions the usage records of one proxy ask for. */
function usageActionsOf({
  sources: { usage, usage_statistics },
  usageRivalSuspected,
}: Omit<ObservedUpstream, 'name'>): readonly ToneAction[] {
  const actions: ToneAction[] = []
  if (usage.outcome.kind === 'off') return actions
  if (usage_statistics.lastGood?.value.enabled === false)
    actions.push({ tone: 'warn', action: { code: 'usage_statistics_off' } })
  if (usageRivalSuspected) actions.push({ tone: 'warn', action: { code: 'usage_rival' } })
  const retentionSeconds = usage.lastGood?.value.retentionSeconds ?? null
  if (retentionSeconds !== null && retentionSeconds < QUEUE_RETENTION_SECONDS_MIN) {
    const action = {
      code: 'usage_retention_short',
      retentionSeconds,
      neededSeconds: QUEUE_RETENTION_SECONDS_MIN,
    } as const
    actions.push({ tone: 'warn', action })
  }
  return actions
}
