import { effectiveOf, effectiveQuotaOf, percentOrStandIn, type WeeklyToFiveHourMultiplier } from '../account/account-quota.ts'
import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { isStale, type QuotaWindow, resetAtOf, windowOf } from '../account/quota-window.ts'
import type { EpochMs } from '../facts/time.ts'

/** Units an account gets back at one reset. */
export interface CapacityStep {
  readonly at: EpochMs
  /** Plus units, > 0. */
  readonly units: number
  /** authName of the account. */
  readonly authName: string
  readonly title: string
}

/** What the pool has left in one window, in Plus units (1 = a full window of a Plus account). */
export interface WindowCapacity {
  readonly windowId: '5h' | 'week'
  /** Full windows of every enabled account of a tracked plan. */
  readonly trackedUnits: number
  /** What is known to be left, stale readings included; <= trackedUnits. */
  readonly knownUnits: number
  /** Tracked units of which nothing is known; counted neither as empty nor as full. */
  readonly unknownUnits: number
  /** The part of `knownUnits` that rests on stale readings. */
  readonly staleUnits: number
  /** Accounts that have used this window up; a dead login, which cannot spend either, is none of them. */
  readonly exhaustedCount: number
  /** Next resets that return units, soonest first; the first is the next recovery. */
  readonly steps: readonly CapacityStep[]
}

/** The pool's capacity in one window. Accounts not `countedInCapacity` (second files of one account) are left out. */
export function capacityOf(
  accounts: readonly EvaluatedAccount[],
  windowId: '5h' | 'week',
  multiplier: WeeklyToFiveHourMultiplier,
): WindowCapacity {
  let trackedUnits = 0
  let knownUnits = 0
  let unknownUnits = 0
  let staleUnits = 0
  let exhaustedCount = 0
  const steps: CapacityStep[] = []

  for (const account of accounts) {
    const weight = account.capacityWeight
    if (!account.countedInCapacity || weight === 0) continue
    trackedUnits += weight
    const percent = spendablePercent(account, windowId, multiplier)
    if (percent === null) {
      unknownUnits += weight
      continue
    }
    const units = (weight * percent) / 100
    knownUnits += units
    if (restsOnStale(account.windows, windowId)) staleUnits += units
    if (percent === 0 && !isLoggedOut(account)) exhaustedCount += 1
    steps.push(...returningSteps(account, windowId, multiplier))
  }
  // Sums of tenths drift; what is known can never exceed what is tracked.
  knownUnits = Math.min(knownUnits, trackedUnits)
  return {
    windowId,
    trackedUnits,
    knownUnits,
    unknownUnits,
    staleUnits: Math.min(staleUnits, knownUnits),
    exhaustedCount,
    steps: steps.sort(bySoonest),
  }
}

function isLoggedOut({ blockedReasons }: EvaluatedAccount): boolean {
  return blockedReasons.includes('auth_invalid')
}

/** Percent of the window this account could spend now; 0 when its login is dead, null when unknown. */
function spendablePercent(account: EvaluatedAccount, windowId: '5h' | 'week', multiplier: WeeklyToFiveHourMultiplier): number | null {
  if (isLoggedOut(account)) return 0
  const effective = effectiveQuotaOf(account.windows, multiplier)
  return windowId === '5h' ? effective.fiveHour : effective.week
}

function restsOnStale(windows: readonly QuotaWindow[], windowId: '5h' | 'week'): boolean {
  const window = windowOf(windows, windowId)
  return isStale(window.state === 'absent' ? windowOf(windows, windowId === '5h' ? 'week' : '5h') : window)
}

/** What each of the account's next two resets gives back to this window, walking them in time. */
function returningSteps(
  account: EvaluatedAccount,
  windowId: '5h' | 'week',
  multiplier: WeeklyToFiveHourMultiplier,
): readonly CapacityStep[] {
  if (isLoggedOut(account)) return []
  const fiveHourWindow = windowOf(account.windows, '5h')
  const weekWindow = windowOf(account.windows, 'week')
  let fiveHour = percentOrStandIn(fiveHourWindow, weekWindow)
  let week = percentOrStandIn(weekWindow, fiveHourWindow)
  const spendable = () => effectiveOf(fiveHour, week, multiplier)[windowId === '5h' ? 'fiveHour' : 'week']

  const refill = (fiveHourToo: boolean, weekToo: boolean) => {
    if (fiveHourToo) fiveHour = 100
    if (weekToo) week = 100
  }
  const resets = [
    { at: resetAtOf(fiveHourWindow), refill: () => refill(true, weekWindow.state === 'absent') },
    { at: resetAtOf(weekWindow), refill: () => refill(fiveHourWindow.state === 'absent', true) },
  ].filter((reset): reset is { at: EpochMs; refill: () => void } => reset.at !== null)

  const steps: CapacityStep[] = []
  for (const reset of resets.sort((a, b) => a.at - b.at)) {
    const before = spendable()
    reset.refill()
    const after = spendable()
    if (before === null || after === null || after <= before) continue
    steps.push({
      at: reset.at,
      units: (account.capacityWeight * (after - before)) / 100,
      authName: account.selector.authName,
      title: account.title,
    })
  }
  return steps
}

function bySoonest(a: CapacityStep, b: CapacityStep): number {
  return a.at - b.at || b.units - a.units || (a.authName < b.authName ? -1 : 1)
}
