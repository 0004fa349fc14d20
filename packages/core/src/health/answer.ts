import type { Tone } from '../account/account-status.ts'
import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { type EpochMs, epochMs, HOUR_MS, MINUTE_MS } from '../facts/time.ts'
import { FIVE_HOUR, type MainWindowId } from '../facts/window.ts'
import {
  type CapacityReturn,
  isLowerBound,
  leftUnitsOf,
  type WindowCapacity,
} from '../pool/capacity.ts'
import type { EvaluatedPool } from '../pool/evaluated-pool.ts'
import type { FirstRound } from '../pool/first-round.ts'
import { ownWindows } from '../pool/provider-pool.ts'
import { RUNWAY_HOURS_MAX } from '../pool/quota-walk.ts'
import { noTrends, type Runway, SHORT_RUNWAY_MS, type Trends } from '../pool/runway.ts'
import { isStalled, type Snapshot } from './snapshot.ts'

/** Expected time at which the usable quota runs out. */
export type Lasting =
  | { readonly kind: 'unknown' }
  /** `beyond` contains the last full hour of the forecast, so that the sentence does not change every minute. */
  | { readonly kind: 'until' | 'beyond'; readonly at: EpochMs }
  /** Range at low confidence, relative to now; `toMs` is null if its end lies beyond the forecast. */
  | { readonly kind: 'rough'; readonly fromMs: number; readonly toMs: number | null }

/** Answer to the question whether a big job may start now, and until when the quota lasts. */
export type Answer =
  | {
      readonly code: 'monitor_silent'
      readonly since: EpochMs
    }
  | {
      readonly code: 'not_ready'
      /** Null before the account list was read, and if no quota is queried. */
      readonly firstRound: FirstRound | null
    }
  | {
      readonly code: 'proxy_down'
      /** True if the proxy answers and only its account list cannot be read. */
      readonly answers: boolean
      /** Time the account list was last read; null if it never was. */
      readonly sampledAt: EpochMs | null
      /** Plus units that could be spent according to that list; null if none are known. */
      readonly usableUnits: number | null
    }
  | {
      readonly code: 'wait'
      /** Expected time at which the next blocked account becomes free; null if unknown. */
      readonly until: EpochMs | null
      /** Plus units usable from then on; null if unknown. */
      readonly units: number | null
      readonly asOf: EpochMs | null
    }
  | {
      readonly code: 'go' | 'go_short' | 'hurry'
      /** Plus units that can be spent now; null if the capacity weight of the routable accounts is unknown. */
      readonly usableUnits: number | null
      readonly first: string
      readonly lasts: Lasting
      /** The window that runs dry first, or the first main window if none does. */
      readonly windowId: MainWindowId
      /** Next return of quota to this window, in Plus units; null if none is known. */
      readonly nextReturn: Pick<CapacityReturn, 'at' | 'units'> | null
      /** Whether `usableUnits` is a lower bound, because too much was not read. */
      readonly atLeast: boolean
      /** The first round, while it lasts. How long the quota lasts is unknown then. */
      readonly firstRound: FirstRound | null
      /** Time of the readings of an earlier process, until the proxy is first reached; otherwise null. */
      readonly asOf: EpochMs | null
    }

const answerTones: Readonly<Record<Answer['code'], Tone>> = {
  monitor_silent: 'bad',
  not_ready: 'unknown',
  proxy_down: 'bad',
  wait: 'bad',
  hurry: 'warn',
  go_short: 'good',
  go: 'good',
}

/** Tone of an answer. What only an earlier process has read is never good. */
export function answerTone(code: Answer['code'], asOf: EpochMs | null): Tone {
  const tone = answerTones[code]
  return tone === 'good' && asOf !== null ? 'warn' : tone
}

/** The answer for a pool with these trends; the first matching rule decides. See docs/rules.md#answer. */
export function answerOf(pool: Snapshot, trends: Trends): Answer {
  if (isStalled(pool)) return { code: 'monitor_silent', since: pool.evaluatedAt }
  const { gatewayUp, source, available, firstRound, sampledAt } = pool
  const isUnreadable = source === 'stale' || source === 'unavailable'
  const { usableUnits, unknownUnits, unweighedShare = 0 } = pool.capacity[FIVE_HOUR]
  const lost = { code: 'proxy_down', sampledAt, usableUnits: usableUnits || null } as const
  if (gatewayUp === false) return { ...lost, answers: false }
  const isUnread = usableUnits === 0 && (firstRound !== null || unknownUnits + unweighedShare > 0)
  const first = pool.accounts.find(({ routable }) => routable)
  if (!available || (isUnreadable && gatewayUp && firstRound !== null))
    return { code: 'not_ready', firstRound }
  if (isUnreadable && gatewayUp) return { ...lost, answers: true }
  const asOf = isUnreadable ? sampledAt : null
  if (first === undefined && firstRound === null) return { code: 'wait', ...nextFree(pool), asOf }
  if (first === undefined || isUnread) return { code: 'not_ready', firstRound }
  const { runway, capacity } = firstDry(pool, firstRound === null ? trends : noTrends)
  const lasts = lastingOf(runway, pool.evaluatedAt)
  return {
    code: codeOf(runway, pool.evaluatedAt),
    usableUnits: usableUnits === 0 ? null : usableUnits,
    first: first.title,
    lasts,
    windowId: capacity.windowId,
    nextReturn: capacity.returns[0] ?? null,
    atLeast: firstRound !== null || isLowerBound(pool.capacity[FIVE_HOUR]),
    firstRound,
    asOf,
  }
}

/** Time at which the next blocked account becomes free, and the units usable at the end of that minute, including those returned by resets. */
function nextFree({
  accounts,
  nextRoutableAt: until,
}: EvaluatedPool): Pick<Extract<Answer, { readonly code: 'wait' }>, 'until' | 'units'> {
  if (until === null) return { until, units: null }
  // Resets of one minute are read as one, since their texts name the same time.
  const end = epochMs(Math.floor(until / MINUTE_MS + 1) * MINUTE_MS - 1)
  const free = accounts.filter(
    ({ countedInCapacity, status }) =>
      countedInCapacity && status.until !== null && status.until <= end,
  )
  const units = free.reduce((sum, account) => sum + unitsAt(account, end), 0)
  return { until, units: units === 0 ? null : units }
}

/** Plus units that an account can spend once it is free. */
function unitsAt(account: EvaluatedAccount, until: EpochMs): number {
  const { spendable, returns } = account.quota[FIVE_HOUR]
  const returned = returns.reduce((sum, { at, percent }) => (at <= until ? sum + percent : sum), 0)
  return leftUnitsOf(account, (spendable ?? 0) + returned) ?? 0
}

/** The pool's main window that runs dry first, or its first one if none does. */
function firstDry(
  pool: EvaluatedPool,
  trends: Trends,
): { readonly runway: Runway; readonly capacity: WindowCapacity } {
  const dryAt = ({ runsDryAt, p75 }: Runway) => runsDryAt ?? p75 ?? Number.POSITIVE_INFINITY
  const [own = FIVE_HOUR, ...others] = ownWindows(pool)
  const id = others.reduce<MainWindowId>(
    (first, next) => (dryAt(trends[next].runway) < dryAt(trends[first].runway) ? next : first),
    own,
  )
  return { runway: trends[id].runway, capacity: pool.capacity[id] }
}

function codeOf({ runsDryAt }: Runway, now: EpochMs): 'go' | 'go_short' | 'hurry' {
  if (runsDryAt === null) return 'go'
  return runsDryAt - now <= SHORT_RUNWAY_MS ? 'hurry' : 'go_short'
}

function lastingOf({ confidence, runsDryAt, p25, p75 }: Runway, now: EpochMs): Lasting {
  const horizonMs = RUNWAY_HOURS_MAX * HOUR_MS
  switch (confidence) {
    case 'none':
      return { kind: 'unknown' }
    case 'low':
      return {
        kind: 'rough',
        fromMs: p25 === null ? horizonMs : p25 - now,
        toMs: p75 === null ? null : p75 - now,
      }
    case 'high':
      return runsDryAt === null
        ? { kind: 'beyond', at: epochMs(Math.floor((now + horizonMs) / HOUR_MS) * HOUR_MS) }
        : { kind: 'until', at: runsDryAt }
    default:
      return confidence satisfies never
  }
}
