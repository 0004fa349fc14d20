import {
  type AccountStatusKind,
  type EpochMs,
  MINUTE_MS,
  plusMs,
  type Tone,
  WEEK_SECONDS,
  windowIdOf,
} from '@svc/core'
import type { ChangeDetail, RecentChange } from '@svc/core/pool'
import { exampleAccountAt } from './example-account.ts'
import { SAMPLE_POOL } from './example-pool.ts'
import type { Condition, ExampleRow } from './example-row.ts'
import { cycleStartOf, latestTick } from './moving-windows.ts'
import { windowPhaseMs } from './sampling.ts'

/** A change that recurs; only its last occurrence is shown. */
interface RecurringChange {
  readonly everyMinutes: number
  /** Delay after the beat in minutes, below `SETTLED_MINUTES`; the changes of a pair share their beat. */
  readonly afterMinutes?: number
  readonly tone: Tone
  readonly detail: ChangeDetail
}

/** Minimum age of a beat in minutes, so that both changes of a pair have happened. */
const SETTLED_MINUTES = 10

/** The beats are primes, so that they rarely coincide. */
const RECURRING_CHANGES: readonly RecurringChange[] = [
  {
    everyMinutes: 211,
    tone: 'good',
    detail: { code: 'account_added', title: 'Zoé Lefèvre (Lyon)' },
  },
  {
    everyMinutes: 547,
    tone: 'warn',
    detail: { code: 'source_changed', from: 'live', to: 'partial' },
  },
  {
    everyMinutes: 547,
    afterMinutes: 7,
    tone: 'good',
    detail: { code: 'source_changed', from: 'partial', to: 'live' },
  },
  { everyMinutes: 661, tone: 'bad', detail: { code: 'gateway_changed', up: false } },
  {
    everyMinutes: 661,
    afterMinutes: 2,
    tone: 'good',
    detail: { code: 'gateway_changed', up: true },
  },
  {
    everyMinutes: 719,
    tone: 'good',
    detail: { code: 'plan_changed', title: 'build-farm@example.org', from: 'plus', to: 'prolite' },
  },
  {
    everyMinutes: 907,
    tone: 'good',
    detail: {
      code: 'account_renamed',
      title: 'platform@example.org',
      fromAuthName: 'codex-1b8c0efb-platform@example.org-business.json',
      toAuthName: 'codex-1b8c0efb-platform@example.org-enterprise.json',
    },
  },
  {
    everyMinutes: 1201,
    tone: 'warn',
    detail: { code: 'account_removed', title: 'summer-intern@example.org' },
  },
]

/** Status reported at the start of each condition that changes the status. */
const TOLD_STATUS: Partial<
  Record<Condition, { readonly kind: AccountStatusKind; readonly tone: Tone }>
> = {
  retry_after: { kind: 'retry_after', tone: 'warn' },
  auth_invalid: { kind: 'auth_invalid', tone: 'bad' },
  login_refused: { kind: 'auth_invalid', tone: 'bad' },
}

/** Changes of the sample pool before `now`: every kind of change, newest first. */
export function demoRecentChanges(now: EpochMs): readonly RecentChange[] {
  const changes = [
    ...SAMPLE_POOL.flatMap((row) => accountChangesOf(row, now)),
    ...RECURRING_CHANGES.map((change) => lastTimeOf(change, now)),
    vendorResetBefore(now),
  ]
  return changes.sort((a, b) => b.at - a.at)
}

function vendorResetBefore(now: EpochMs): RecentChange {
  const seenAt = latestTick(plusMs(now, -SETTLED_MINUTES * MINUTE_MS), 1_499 * MINUTE_MS, 0)
  return {
    at: plusMs(seenAt, 6 * MINUTE_MS),
    tone: 'good',
    detail: {
      code: 'vendor_reset',
      provider: 'codex',
      windowId: windowIdOf(WEEK_SECONDS),
      accountCount: 9,
      units: 6.4,
      seenAt,
    },
  }
}

function accountChangesOf(row: ExampleRow, now: EpochMs): readonly RecentChange[] {
  const { messageAt, nextRetryAt, selector } = exampleAccountAt(row, {
    now,
    observedAt: now,
  }).account
  const named = { title: row.title, accountKey: selector.accountKey }
  const status = TOLD_STATUS[row.condition]
  if (messageAt !== null && status !== undefined) {
    const detail: ChangeDetail = {
      code: 'status_changed',
      ...named,
      from: 'active',
      to: status.kind,
      until: nextRetryAt,
    }
    return [{ at: messageAt, tone: status.tone, detail }]
  }
  if (messageAt !== null && row.condition === 'used_up') {
    return row.windows
      .filter(({ percent }) => percent[0] === 0)
      .map(({ id }) => ({
        at: messageAt,
        tone: 'warn',
        detail: { code: 'window_exhausted', ...named, windowId: id },
      }))
  }
  return row.sampling === 'primary_and_headers' ? resetsOf(row, named, now) : []
}

function resetsOf(
  row: ExampleRow,
  named: { readonly title: string; readonly accountKey: string },
  now: EpochMs,
): readonly RecentChange[] {
  return row.windows.map((window) => ({
    at: cycleStartOf(window, now, windowPhaseMs(row)),
    tone: 'good',
    detail: { code: 'window_reset', ...named, windowId: window.id },
  }))
}

function lastTimeOf(
  { everyMinutes, afterMinutes = 0, tone, detail }: RecurringChange,
  now: EpochMs,
): RecentChange {
  const beat = latestTick(plusMs(now, -SETTLED_MINUTES * MINUTE_MS), everyMinutes * MINUTE_MS, 0)
  return { at: plusMs(beat, afterMinutes * MINUTE_MS), tone, detail: withKey(detail, now) }
}

/** Adds the account key to the change of an account that is still in the pool. */
function withKey(detail: ChangeDetail, now: EpochMs): ChangeDetail {
  if (!('title' in detail)) return detail
  const row = SAMPLE_POOL.find(({ title }) => title === detail.title)
  return row === undefined
    ? detail
    : {
        ...detail,
        accountKey: exampleAccountAt(row, { now, observedAt: now }).account.selector.accountKey,
      }
}
