import type { DiskRoom, FileUse, HistoryState, UnpricedUsage } from '../facts/history-state.ts'
import { type Observation, type WatchedProxy, watchedProxies } from '../facts/observation.ts'
import type { SourceFailureCode } from '../facts/source.ts'
import { DAY_MS, type EpochMs } from '../facts/time.ts'
import { atUpstream, type ToneAction } from './health-actions.ts'
import type { HealthSource } from './source-health.ts'

/** A WAL file of this size means that something prevents its truncation. See docs/limits.md#history-store. */
const WAL_BYTES_MAX = 64 * 1024 * 1024
/** Largest normal backlog, because rows are deleted a day at a time. */
const BACKLOG_SECONDS_MAX = 86_400
/** A standby further behind than this shows visibly old charts. */
export const LAG_SECONDS_MAX = 60
/** A disk that is full sooner needs an operator. See docs/rules.md#health. */
export const FULL_DAYS_MIN = 7
/** Prices that leave out more than this share of the tokens for this long are out of date. See docs/rules.md#health. */
const UNPRICED_SHARE_MAX = 0.1
const UNPRICED_MS_MAX = DAY_MS
/** Interval at which the proxy's queue is read. */
export const QUEUE_PERIOD_SECONDS = 5
/** A proxy that keeps records for less than four polls loses some at the first hiccup. See docs/rules.md#health. */
export const QUEUE_RETENTION_SECONDS_MIN = 4 * QUEUE_PERIOD_SECONDS

/** Usage missed for less time than this, as during a restart, raises no action. See docs/rules.md#health. */
const MISSED_SECONDS_MIN = 60
/** Usage that fails for this long raises an action. See docs/rules.md#health. */
const USAGE_FAILS_MS = 5 * 60_000
/** Failures that other actions report. */
const TOLD_ELSEWHERE: ReadonlySet<SourceFailureCode> = new Set<SourceFailureCode>([
  'store_unavailable',
  'clock_doubted',
])

/** Actions about the history and the intake of usage; none while no history is kept. */
export function historyActions(observation: Observation): readonly ToneAction[] {
  const { history } = observation
  if (history.kind === 'off') return []
  const actions: ToneAction[] = []
  if (history.kind === 'failing') {
    const { code: reason, since, engine } = history
    actions.push({ tone: 'bad', action: { code: 'history_failing', reason, since, engine } })
  }
  if (history.kind === 'ok') actions.push(...engineActions(history))
  if (history.kind === 'ok' && history.missedSeconds >= MISSED_SECONDS_MIN) {
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
  const { freeBytes = 0, fullInDays: days = null } = (history.kind === 'ok' && history.disk) || {}
  if (days !== null && days < FULL_DAYS_MIN)
    actions.push({ tone: 'warn', action: { code: 'history_disk_filling', freeBytes, days } })
  if (history.kind === 'ok' && history.lagSeconds > LAG_SECONDS_MAX) {
    const { lagSeconds } = history
    actions.push({ tone: 'warn', action: { code: 'history_lagging', lagSeconds } })
  }
  if (history.kind === 'ok' && history.unpriced !== undefined) {
    const { share, since, seenAt } = history.unpriced
    if (seenAt - since >= UNPRICED_MS_MAX)
      actions.push({ tone: 'warn', action: { code: 'prices_stale', share, since } })
  }
  const ofProxies = watchedProxies(observation).flatMap((one) =>
    atUpstream(one.name, usageActionsOf(one)),
  )
  return [...actions, ...ofProxies]
}

/**
 * Actions for usage that has failed for `USAGE_FAILS_MS` although the account list of its proxy is readable. Without the list, another action reports
 * the failure.
 */
export function failingUsageActions(
  sources: readonly HealthSource[],
  now: EpochMs,
): readonly ToneAction[] {
  return sources.flatMap(({ id, upstream, outcome, since }): readonly ToneAction[] => {
    if (id !== 'usage' || outcome.kind !== 'failed' || TOLD_ELSEWHERE.has(outcome.code)) return []
    const list = sources.find((other) => other.id === 'accounts' && other.upstream === upstream)
    if (list?.outcome.kind !== 'ok' || now - since < USAGE_FAILS_MS) return []
    const failing: ToneAction = { tone: 'bad', action: { code: 'usage_failing', since } }
    return atUpstream(upstream, [failing])
  })
}

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

function usageActionsOf({
  sources: { accounts, usage, usage_statistics },
  usageRivalSuspected,
}: WatchedProxy): readonly ToneAction[] {
  const actions: ToneAction[] = []
  const { generation } = accounts
  const spelling = generation === 'v8' ? { generation } : {}
  if (usage.outcome.kind === 'off') return actions
  if (usage_statistics.lastGood?.value.enabled === false)
    actions.push({ tone: 'warn', action: { code: 'usage_statistics_off', ...spelling } })
  if (usageRivalSuspected) actions.push({ tone: 'warn', action: { code: 'usage_rival' } })
  const notice = usage.lastGood?.value.notice
  if (notice === 'way_lost' || notice === 'dropped') {
    const code = notice === 'way_lost' ? 'usage_way_lost' : 'subscriber_dropped'
    actions.push({ tone: 'warn', action: { code } })
  }
  const retentionSeconds = usage.lastGood?.value.retentionSeconds ?? null
  if (retentionSeconds !== null && retentionSeconds < QUEUE_RETENTION_SECONDS_MIN) {
    const action = {
      code: 'usage_retention_short',
      retentionSeconds,
      neededSeconds: QUEUE_RETENTION_SECONDS_MIN,
      ...spelling,
    } as const
    actions.push({ tone: 'warn', action })
  }
  return actions
}

/** Unpriced usage after another look; null if it is not too much. `share`: null if unknown. */
export function unpricedAfter(
  before: UnpricedUsage | null,
  share: number | null,
  seenAt: EpochMs,
): UnpricedUsage | null {
  if (share === null || share <= UNPRICED_SHARE_MAX) return null
  return { share, since: before?.since ?? seenAt, seenAt }
}

/** Smallest history from which a growth rate is computed. See docs/rules.md#health. */
const KNOWN_DAYS_MIN = 3
const KNOWN_REQUESTS_MIN = 1_000

/** Free space of a history file, and days until it is full at its growth over the last week. */
export function diskRoomOf(use: FileUse, retentionDays: number, now: EpochMs): DiskRoom {
  return { freeBytes: use.freeBytes, fullInDays: daysUntilFull(use, retentionDays, now) }
}

function daysUntilFull(
  { roomBytes, usedBytes, requestCount, requestsPerDay, oldestRowAt }: FileUse,
  retentionDays: number,
  now: EpochMs,
): number | null {
  const keptDays = oldestRowAt === null ? 0 : (now - oldestRowAt) / DAY_MS
  if (keptDays < KNOWN_DAYS_MIN || requestCount < KNOWN_REQUESTS_MIN || requestsPerDay === null)
    return null
  const requestBytes = usedBytes / requestCount
  // It grows until as much is forgotten a day as is stored.
  const fullGrown = requestBytes * requestsPerDay * retentionDays
  if (fullGrown - usedBytes <= roomBytes) return Number.POSITIVE_INFINITY
  const forgotten = keptDays < retentionDays ? 0 : requestCount / keptDays
  return Math.max(0, roomBytes) / (requestBytes * (requestsPerDay - forgotten))
}
