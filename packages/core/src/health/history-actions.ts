import type { DiskRoom, FileUse, HistoryState, UnpricedUsage } from '../facts/history-state.ts'
import { type Observation, type WatchedProxy, watchedProxies } from '../facts/observation.ts'
import type { SourceFailureCode } from '../facts/source.ts'
import { DAY_MS, type EpochMs } from '../facts/time.ts'
import { atUpstream, badAction, type ToneAction, warnAction } from './health-actions.ts'
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
    actions.push(badAction({ code: 'history_failing', reason, since, engine }))
  }
  if (history.kind === 'ok') actions.push(...storeActions(history))
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
    return atUpstream(upstream, [badAction({ code: 'usage_failing', since })])
  })
}

function storeActions({
  engine,
  readFailure,
  missedSeconds,
  backlogSeconds,
  disk,
  lagSeconds,
  unpriced,
}: Extract<HistoryState, { readonly kind: 'ok' }>): readonly ToneAction[] {
  const actions: ToneAction[] = []
  if (readFailure !== null)
    actions.push(badAction({ code: 'history_unreadable', engine: engine.name, ...readFailure }))
  if (engine.name === 'sqlite' && engine.walBytes > WAL_BYTES_MAX)
    actions.push(warnAction({ code: 'history_wal_large', walBytes: engine.walBytes }))
  if (engine.name === 'postgres' && engine.isPasswordExposed === true)
    actions.push(warnAction({ code: 'password_file_readable_by_others' }))
  if (missedSeconds >= MISSED_SECONDS_MIN)
    actions.push(warnAction({ code: 'usage_missed', missedSeconds }))
  if (backlogSeconds !== null && backlogSeconds > BACKLOG_SECONDS_MAX)
    actions.push(warnAction({ code: 'history_backlog', backlogSeconds }))
  const { freeBytes = 0, fullInDays: days = null } = disk ?? {}
  if (days !== null && days < FULL_DAYS_MIN)
    actions.push(warnAction({ code: 'history_disk_filling', freeBytes, days }))
  if (lagSeconds > LAG_SECONDS_MAX)
    actions.push(warnAction({ code: 'history_lagging', lagSeconds }))
  const { share = 0, since, seenAt } = unpriced ?? {}
  if (since !== undefined && seenAt !== undefined && seenAt - since >= UNPRICED_MS_MAX)
    actions.push(warnAction({ code: 'prices_stale', share, since }))
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
    actions.push(warnAction({ code: 'usage_statistics_off', ...spelling }))
  if (usageRivalSuspected) actions.push(warnAction({ code: 'usage_rival' }))
  const notice = usage.lastGood?.value.notice
  if (notice === 'way_lost') actions.push(warnAction({ code: 'usage_way_lost' }))
  if (notice === 'dropped') actions.push(warnAction({ code: 'subscriber_dropped' }))
  const retentionSeconds = usage.lastGood?.value.retentionSeconds ?? null
  const needed = { retentionSeconds, neededSeconds: QUEUE_RETENTION_SECONDS_MIN, ...spelling }
  if (retentionSeconds !== null && retentionSeconds < needed.neededSeconds)
    actions.push(warnAction({ code: 'usage_retention_short', ...needed, retentionSeconds }))
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
