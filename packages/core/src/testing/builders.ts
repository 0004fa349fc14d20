import type { QuotaWindow } from '../account/quota-window.ts'
import { defaultPolicy, type EvaluationPolicy, evaluateSnapshot } from '../evaluate.ts'
import { type Account, accountNamed } from '../facts/account.ts'
import { type AccountEvidence, evidenceFrom } from '../facts/account-evidence.ts'
import {
  type AccountList,
  type Observation,
  readSources,
  type ServiceObservation,
  type SourceReadings,
} from '../facts/observation.ts'
import type { QuotaSample, ReadingOrigin, WindowReading } from '../facts/reading.ts'
import type { Clock, Log } from '../facts/refresh.ts'
import type { Scheduler } from '../facts/scheduler.ts'
import { offBecause, type SourceFailureCode, type SourceReading } from '../facts/source.ts'
import { type EpochMs, epochMs, plusMs } from '../facts/time.ts'
import {
  FIVE_HOUR,
  isMainWindowId,
  type MainWindowId,
  mainWindowOf,
  WEEK,
  type WindowId,
} from '../facts/window.ts'
import type { Snapshot } from '../health/snapshot.ts'
import type { UsageRecord } from '../usage/usage.ts'

/** Present time of everything the builders make: 2026-11-20T12:00:00Z. */
export const NOW: EpochMs = epochMs(1_795_176_000_000)

/** The instant this many seconds after NOW; negative values lie before it. */
export function fromNow(seconds: number): EpochMs {
  return plusMs(NOW, seconds * 1000)
}

/** An enabled, active Plus account, changed by `changes`. Its selector follows `name`. */
export function anAccount(name: string, changes: Partial<Account> = {}): Account {
  const selector = {
    authName: `codex-${name}@example.com-plus.json`,
    authIndex: `index-${name}`,
    accountKey: `key-${name}`,
  }
  return accountNamed(selector.authName, {
    selector,
    title: `${name}@example.com`,
    claimedPlan: 'plus',
    ...changes,
  })
}

interface SampleShape {
  readonly fiveHour?: number | null
  readonly week?: number | null
  readonly fiveHourResetsInSeconds?: number | null
  readonly weekResetsInSeconds?: number | null
  readonly ageSeconds?: number
}

/** A direct sample taken at NOW (or `ageSeconds` before) with the given percents left; null omits a window. */
export function aQuotaSample(
  shape: SampleShape = {},
  changes: Partial<QuotaSample> = {},
): QuotaSample {
  const windows: WindowReading[] = []
  const push = (id: MainWindowId, percent: number | null, resetsInSeconds: number | null) => {
    if (percent === null) return
    windows.push({
      id,
      periodSeconds: mainWindowOf(id).seconds,
      percent,
      resetAt: resetsInSeconds === null ? null : fromNow(resetsInSeconds),
    })
  }
  push(
    FIVE_HOUR,
    shape.fiveHour === undefined ? 80 : shape.fiveHour,
    shape.fiveHourResetsInSeconds ?? null,
  )
  push(WEEK, shape.week === undefined ? 60 : shape.week, shape.weekResetsInSeconds ?? null)
  return {
    origin: 'direct',
    sampledAt: fromNow(-(shape.ageSeconds ?? 0)),
    plan: null,
    windows,
    unreadableWindowCount: 0,
    limitReached: false,
    spendReached: null,
    ...changes,
  }
}

interface WindowShape {
  readonly resetsInSeconds?: number
  readonly ageSeconds?: number
  readonly stale?: boolean
  readonly origin?: ReadingOrigin
}

/** A window read at NOW (or `ageSeconds` before) with this percent left, exhausted at 0; no reset without `resetsInSeconds`. */
export function aWindow(id: WindowId, percent: number, shape: WindowShape = {}): QuotaWindow {
  const { resetsInSeconds, ageSeconds = 0, stale = false, origin = 'direct' } = shape
  const sampled = {
    id,
    periodSeconds: periodSecondsOf(id),
    sampledAt: fromNow(-ageSeconds),
    origin,
    stale,
  }
  const resetAt = resetsInSeconds === undefined ? null : fromNow(resetsInSeconds)
  if (percent === 0) return { ...sampled, state: 'exhausted', percent, resetAt }
  return { ...sampled, state: 'known', percent, resetAt, rolledOverAt: null }
}

/** A window whose reset passed this many seconds before NOW, a minute after it was read. */
export function aRolledOverWindow(
  id: WindowId,
  secondsAgo: number,
  origin: ReadingOrigin = 'direct',
): QuotaWindow {
  const read = { sampledAt: fromNow(-secondsAgo - 60), origin, stale: true }
  return {
    id,
    periodSeconds: periodSecondsOf(id),
    ...read,
    state: 'known',
    percent: 100,
    resetAt: null,
    rolledOverAt: fromNow(-secondsAgo),
  }
}

/** A window that the plan lacks according to an answer at NOW. */
export function anAbsentWindow(id: MainWindowId): QuotaWindow {
  return {
    id,
    periodSeconds: periodSecondsOf(id),
    state: 'absent',
    sampledAt: NOW,
    origin: 'direct',
    stale: false,
  }
}

function periodSecondsOf(id: WindowId): number | null {
  return isMainWindowId(id) ? mainWindowOf(id).seconds : null
}

/** Evidence that rests on these samples, queried every 5 min. */
export function evidenceOf(
  samples: readonly QuotaSample[],
  changes: Partial<AccountEvidence> = {},
): AccountEvidence {
  return { ...evidenceFrom(samples), ...changes }
}

/** Changes to an observation; sources that are not named keep their reading. */
export type ObservationChanges = Partial<Omit<Observation, 'sources'>> & {
  readonly sources?: Partial<SourceReadings>
}

/** A live observation of these accounts; every source that needs neither a file nor a store has just answered. */
export function aLiveObservation(
  entries: readonly (readonly [Account, AccountEvidence | null])[],
  { sources, ...changes }: ObservationChanges = {},
): Observation {
  const accounts = entries.map(([account]) => account)
  const evidence = entries.flatMap(([account, found]) =>
    found === null ? [] : [[account.selector.authName, found] as const],
  )
  const list: AccountList = {
    accounts,
    skipped: [],
    requestCounters: null,
  }
  return {
    kind: 'live',
    accountRefreshSeconds: 15,
    management: { kind: 'accepted' },
    openSecretFiles: [],
    sources: {
      ...readSources(() => offBecause('not_configured')),
      gateway: justRead({ up: true }),
      accounts: justRead(list),
      usage_statistics: justRead({ enabled: true }),
      direct_quota: justRead({
        succeeded: accounts.length,
        failed: 0,
        recentFailed: 0,
        recentCount: accounts.length,
        paused: [],
      }),
      client_labels: offBecause('no_store'),
      usage: offBecause('no_store'),
      ...sources,
    },
    accountListIsRemembered: false,
    usageRivalSuspected: false,
    evidenceByAuthName: new Map(evidence),
    upstreamVersion: 'v7.2.140',
    clockSkewSeconds: 0,
    ...aServiceObservation(),
    ...changes,
  }
}

/** A service without a history store whose clock is believed. */
export function aServiceObservation(): ServiceObservation {
  return { history: { kind: 'off' }, recentUsage: new Map(), clockDoubt: null }
}

/** A scheduler that asked just now, has routed for an hour, and knows of no request since. */
export function aScheduler(changes: Partial<Scheduler> = {}): Scheduler {
  return {
    version: '0.2.0',
    askedAt: NOW,
    askingSince: fromNow(-3_600),
    report: { askedCount: 2, pickCount: 2, follows: true },
    refusal: null,
    askedCount: 40,
    pickCount: 39,
    consultedAt: NOW,
    requestsAfter: null,
    requestCount: 0,
    ...changes,
  }
}

/** These accounts evaluated at NOW by a service that has just started, with changes `observed` and `policy`. */
export function aSnapshot(
  entries: readonly (readonly [Account, AccountEvidence | null])[],
  observed: ObservationChanges = {},
  policy: Partial<EvaluationPolicy> = {},
): Snapshot {
  return evaluateSnapshot(
    aLiveObservation(entries, observed),
    { ...defaultPolicy, ...policy },
    NOW,
    {
      previous: null,
      recordedChanges: [],
    },
  )
}

/** A source that has just answered with this value. */
export function justRead<Value>(value: Value): SourceReading<Value> {
  return { outcome: { kind: 'ok', at: NOW }, failuresInARow: 0, lastGood: { value, at: NOW } }
}

/** A source that nobody has read yet. */
export const neverRead = {
  outcome: { kind: 'pending' },
  failuresInARow: 0,
  lastGood: null,
} as const

/** A source that has just failed for this time in a row, after it was good 10 s ago with `lastValue`, if that is given. */
export function failing<Value = never>(
  failuresInARow = 1,
  code: SourceFailureCode = 'unreachable',
  lastValue?: Value,
): SourceReading<Value> {
  const lastGood = lastValue === undefined ? null : { value: lastValue, at: fromNow(-10) }
  return { outcome: { kind: 'failed', code, at: NOW }, failuresInARow, lastGood }
}

/** A clock that never moves. */
export function fixedClock(now: EpochMs = NOW): Clock {
  return { now: () => now, monotonicMs: () => now, schedule: () => () => undefined }
}

export interface VirtualClock extends Clock {
  /** Moves time forward, running every task that falls due; `settle` lets pending I/O finish between two tasks. */
  advance(milliseconds: number): Promise<void>
  /** Moves the wall clock alone, as an operator or NTP would. */
  jumpWallClock(milliseconds: number): void
  readonly scheduledCount: number
}

/** A clock that moves only on request. `settle` must wait until the I/O that is under way has been handled. */
export function virtualClock(settle: () => Promise<void>, start: EpochMs = NOW): VirtualClock {
  let monotonic = 0
  let wallOffset: number = start
  let sequence = 0
  const tasks = new Map<number, { readonly dueAt: number; readonly task: () => void }>()

  const nextDue = (until: number) => {
    let next: { id: number; dueAt: number; task: () => void } | null = null
    for (const [id, entry] of tasks) {
      if (entry.dueAt <= until && (next === null || entry.dueAt < next.dueAt))
        next = { id, ...entry }
    }
    return next
  }

  return {
    now: () => epochMs(wallOffset + monotonic),
    monotonicMs: () => monotonic,
    schedule(delayMs, task) {
      const id = sequence++
      tasks.set(id, { dueAt: monotonic + Math.max(0, delayMs), task })
      return () => void tasks.delete(id)
    },
    async advance(milliseconds) {
      const until = monotonic + milliseconds
      await settle()
      for (let next = nextDue(until); next !== null; next = nextDue(until)) {
        tasks.delete(next.id)
        monotonic = Math.max(monotonic, next.dueAt)
        next.task()
        await settle()
      }
      monotonic = until
    },
    jumpWallClock(milliseconds) {
      wallOffset += milliseconds
    },
    get scheduledCount() {
      return tasks.size
    },
  }
}

/** A log that writes nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** Numbers from 0 to 1 by this seed (Mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** One request of a thousand tokens at this time, changed by `changes`. */
export function aUsageRecord(at: EpochMs, changes: Partial<UsageRecord> = {}): UsageRecord {
  return {
    at,
    account: { id: 'ann-key', label: 'ann@example.com' },
    client: { id: 'laptop', label: 'Laptop' },
    model: 'gpt-5.5',
    apiName: 'key-1',
    provider: 'codex',
    upstream: 'default',
    requests: 1,
    tokens: 1_000,
    failed: 0,
    ...changes,
  }
}
