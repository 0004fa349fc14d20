import type { EpochMs } from '../facts/time.ts'
import {
  FIVE_HOUR,
  type MainWindowId,
  mainWindowOf,
  mainWindows,
  type PerWindow,
  perWindow,
  WEEK,
  type WindowId,
} from '../facts/window.ts'
import { percentOf, type QuotaWindow, resetAtOf, windowOf } from './quota-window.ts'

/** Percent of the 5h window that one percent of the week is worth; `off` does not cap 5h by the week. */
export type WeeklyToFiveHourMultiplier = number | 'off'

/** The multiplier used unless the configuration sets another. */
export const DEFAULT_MULTIPLIER = 6

/** Quota an account can really spend in its two main windows, percent 0..100; null = unknown. */
export interface EffectiveQuota {
  readonly fiveHour: number | null
  readonly week: number | null
}

/** Quota that one reset gives back to a window. */
export interface QuotaReturn {
  readonly at: EpochMs
  /** Percent of the window that becomes spendable at the reset, > 0. */
  readonly percent: number
}

/** Quota an account has left in one of its main windows, without its returns. */
export interface MeteredQuota {
  readonly window: QuotaWindow
  /** The window that meters this one: itself, or its substitute if the plan lacks it. */
  readonly metered: QuotaWindow
  /** Percent remaining of `metered`, 0..100; null = unknown. */
  readonly percent: number | null
  /** Percent that can be spent now, 0..100, capped by the week; null = unknown. */
  readonly spendable: number | null
}

/** Quota an account has left in one of its main windows, with what resets give back. */
export interface WindowQuota extends MeteredQuota {
  /** Quota this window gets back at the next reset of each main window, soonest first; resets that give nothing are left out. */
  readonly returns: readonly QuotaReturn[]
}

/** The quota of an account, from its windows now. */
export function windowQuotasOf(
  windows: readonly QuotaWindow[],
  multiplier: WeeklyToFiveHourMultiplier,
): PerWindow<WindowQuota> {
  const quotas = meteredQuotasOf(windows, multiplier)
  const returns = returnsOf(
    perWindow(({ id }) => quotas[id].window),
    perWindow(({ id }) => quotas[id].percent),
    perWindow(({ id }) => quotas[id].spendable),
    multiplier,
  )
  return perWindow(({ id }) => ({ ...quotas[id], returns: returns[id] }))
}

/** The quota of an account now, regardless of coming resets. */
export function meteredQuotasOf(
  windows: readonly QuotaWindow[],
  multiplier: WeeklyToFiveHourMultiplier,
): PerWindow<MeteredQuota> {
  const own = perWindow(({ id }) => windowOf(windows, id))
  const metered = perWindow(({ id }) => meteredBy(own, id))
  const percents = perWindow(({ id }) => percentOf(metered[id]))
  const spendable = spendableOf(percents, multiplier)
  return perWindow(({ id }) => ({
    window: own[id],
    metered: metered[id],
    percent: percents[id],
    spendable: spendable[id],
  }))
}

/** The shortest main window that an account has: a request starts its clock first. */
export function meteringWindowOf(windows: readonly QuotaWindow[]): QuotaWindow {
  const own = windowOf(windows, FIVE_HOUR)
  return own.state === 'absent' ? windowOf(windows, mainWindowOf(FIVE_HOUR).substitute) : own
}

/** A window, or its substitute if the plan lacks it. */
function meteredBy(own: PerWindow<QuotaWindow>, id: MainWindowId): QuotaWindow {
  return own[id].state === 'absent' ? own[mainWindowOf(id).substitute] : own[id]
}

/** A window's percent and state, without its times. */
interface WindowShare {
  readonly id: WindowId
  readonly state: QuotaWindow['state']
  /** Percent remaining, 0..100; null = unknown or absent. */
  readonly percent: number | null
}

/** Percent of each main window that can be spent now, 0..100, by the rules of `windowQuotasOf`; null = unknown. */
export function spendablePercentsOf(
  windows: readonly WindowShare[],
  multiplier: WeeklyToFiveHourMultiplier,
): PerWindow<number | null> {
  const shareOf = (id: MainWindowId) => windows.find((window) => window.id === id)
  const isAbsent = (id: MainWindowId) => (shareOf(id)?.state ?? 'absent') === 'absent'
  const percents = perWindow(({ id, substitute }) => {
    const metered = isAbsent(id) ? substitute : id
    return shareOf(metered)?.percent ?? null
  })
  return spendableOf(percents, multiplier)
}

/**
 * Quota of the two main windows taken together: an exhausted week leaves nothing of the 5h window, and a nearly used week caps it. Percents 0..100;
 * null = unknown.
 */
export function effectiveOf(
  fiveHour: number | null,
  week: number | null,
  multiplier: WeeklyToFiveHourMultiplier,
): EffectiveQuota {
  if (week === 0) return { fiveHour: 0, week }
  if (fiveHour === null) return { fiveHour, week }
  if (week === null || multiplier === 'off') return { fiveHour, week }
  return { fiveHour: Math.min(fiveHour, week * multiplier), week }
}

/**
 * Percents that can be spent: a used-up longer window leaves nothing of a shorter one. Only the week's cap on 5h has a known ratio; no
 * other window caps another.
 */
function spendableOf(
  percents: PerWindow<number | null>,
  multiplier: WeeklyToFiveHourMultiplier,
): PerWindow<number | null> {
  const spendable = perWindow(({ id, seconds }) =>
    mainWindows.some((longer) => longer.seconds > seconds && percents[longer.id] === 0)
      ? 0
      : percents[id],
  )
  const { fiveHour } = effectiveOf(spendable[FIVE_HOUR], percents[WEEK], multiplier)
  return { ...spendable, [FIVE_HOUR]: fiveHour }
}

/**
 * Quota each main window gets back at the next reset of each, walking the resets in time. `spendable` is the part of `percents` that can be spent
 * now.
 */
function returnsOf(
  own: PerWindow<QuotaWindow>,
  percents: PerWindow<number | null>,
  spendable: PerWindow<number | null>,
  multiplier: WeeklyToFiveHourMultiplier,
): PerWindow<readonly QuotaReturn[]> {
  const returns: Record<MainWindowId, readonly QuotaReturn[]> = perWindow(() => NO_RETURNS)
  let [left, before] = [percents, spendable]
  for (const { id: reset, at } of nextResets(own)) {
    left = refill(left, own, reset)
    const after = spendableOf(left, multiplier)
    for (const { id } of mainWindows) {
      const [from, to] = [before[id], after[id]]
      if (from !== null && to !== null && to > from)
        returns[id] = [...returns[id], { at, percent: to - from }]
    }
    before = after
  }
  return returns
}

const NO_RETURNS: readonly QuotaReturn[] = []

function nextResets(
  own: PerWindow<QuotaWindow>,
): readonly { readonly id: MainWindowId; readonly at: EpochMs }[] {
  const resets: { readonly id: MainWindowId; readonly at: EpochMs }[] = []
  for (const { id } of mainWindows) {
    const at = resetAtOf(own[id])
    if (at !== null) resets.push({ id, at })
  }
  return resets.sort((a, b) => a.at - b.at)
}

/** A reset fills its own window and every window it substitutes. */
function refill(
  percents: PerWindow<number | null>,
  own: PerWindow<QuotaWindow>,
  reset: MainWindowId,
): PerWindow<number | null> {
  return perWindow(({ id }) =>
    id === reset || meteredBy(own, id).id === reset ? 100 : percents[id],
  )
}
