import type { EpochMs } from '../facts/time.ts'
import {
  FIVE_HOUR,
  isMainWindowId,
  type MainWindowId,
  mainWindowOf,
  mainWindows,
  meteringWindows,
  type PerWindow,
  perWindow,
  WEEK,
  type WindowId,
} from '../facts/window.ts'
import { percentOf, type QuotaWindow, resetAtOf, windowOf } from './quota-window.ts'

/** Percent of the 5h window that one percent of the week is worth. With `off`, the week does not cap 5h. */
export type WeeklyToFiveHourMultiplier = number | 'off'

/** Default multiplier. */
export const DEFAULT_MULTIPLIER = 6

/** Quota that one reset returns to a window. */
export interface QuotaReturn {
  readonly at: EpochMs
  /** Percent of the window that becomes spendable at this reset, > 0. */
  readonly percent: number
}

/** Quota an account has left in one of its main windows, without coming resets. */
export interface MeteredQuota {
  readonly window: QuotaWindow
  /** The window that meters this one: itself, or its substitute if the plan lacks it. */
  readonly metered: QuotaWindow
  /** Percent remaining of `metered`, 0..100; null = unknown. */
  readonly percent: number | null
  /** Percent that can be spent now, 0..100, capped by the quota left in the week; null = unknown. */
  readonly spendable: number | null
}

/** Quota left in one main window of an account, and the quota that coming resets return. */
export interface WindowQuota extends MeteredQuota {
  /** Quota returned to this window by the next reset of each main window, soonest first. Resets that return nothing are omitted. */
  readonly returns: readonly QuotaReturn[]
}

/** Quota of an account in each main window, including coming returns. `further`: its provider's windows other than 5h and week. */
export function windowQuotasOf(
  windows: readonly QuotaWindow[],
  multiplier: WeeklyToFiveHourMultiplier,
  further: readonly WindowId[] = [],
): PerWindow<WindowQuota> {
  const quotas = meteredQuotasOf(windows, multiplier, further)
  const returns = returnsOf(quotas, multiplier)
  return perWindow(({ id }) => ({ ...quotas[id], returns: returns[id] }))
}

/** Quota of an account in each main window now, without coming returns. */
export function meteredQuotasOf(
  windows: readonly QuotaWindow[],
  multiplier: WeeklyToFiveHourMultiplier,
  further: readonly WindowId[] = [],
): PerWindow<MeteredQuota> {
  const own = perWindow(({ id }) => windowOf(windows, id))
  const metered = perWindow(({ id, substitute }) =>
    own[id].state !== 'absent'
      ? own[id]
      : further.length === 0
        ? own[substitute]
        : meterOf(windows, id, further),
  )
  const percents = perWindow(({ id }) => percentOf(metered[id]))
  const left = spendableOf(percents, multiplier)
  const spendable = further.length === 0 ? left : emptiedBy(windows, further, left)
  return perWindow(({ id }) => ({
    window: own[id],
    metered: metered[id],
    percent: percents[id],
    spendable: spendable[id],
  }))
}

/** Quota of an account in one of its provider's further windows. The window's reset makes it full again. */
export function furtherQuotaOf(
  windows: readonly QuotaWindow[],
  id: WindowId,
  further: readonly WindowId[],
): WindowQuota {
  const listed = windows.find((one) => one.id === id)
  const window = listed ?? absent(id)
  // The further windows that an account lacks are not listed.
  const isLacking = listed === undefined && windows.some((one) => percentOf(one) !== null)
  const metered = isLacking ? meterOf(windows, id, further) : window
  const percent = percentOf(metered)
  const resetAt = resetAtOf(metered)
  const returns =
    resetAt === null || percent === null || percent >= 100
      ? NO_RETURNS
      : [{ at: resetAt, percent: 100 - percent }]
  return { window, metered, percent, spendable: percent, returns }
}

/** The window that meters this one: the next longer one that the account has, else the next shorter one, else this one. */
function meterOf(
  windows: readonly QuotaWindow[],
  id: WindowId,
  further: readonly WindowId[],
): QuotaWindow {
  const ids = [...meteringWindows.keys()]
  const place = ids.indexOf(id)
  const nearest = [...ids.slice(place + 1), ...ids.slice(0, place).reverse()]
  const has = (one: WindowId) =>
    windows.find(
      (window) =>
        window.id === one &&
        window.state !== 'absent' &&
        (isMainWindowId(one) || further.includes(one)),
    )
  for (const one of nearest) {
    const window = has(one)
    if (window !== undefined) return window
  }
  return windows.find((window) => window.id === id) ?? absent(id)
}

/** The spendable percents, with 0 for main windows shorter than a used-up further window. */
function emptiedBy(
  windows: readonly QuotaWindow[],
  further: readonly WindowId[],
  spendable: PerWindow<number | null>,
): PerWindow<number | null> {
  const exhausted = windows.filter(
    (window) => further.includes(window.id) && window.state === 'exhausted',
  )
  if (exhausted.length === 0) return spendable
  const longest = Math.max(...exhausted.map(({ id }) => meteringWindows.get(id) ?? 0))
  return perWindow(({ id, seconds }) => (longest > seconds ? 0 : spendable[id]))
}

function absent(id: WindowId): QuotaWindow {
  return { id, periodSeconds: meteringWindows.get(id) ?? null, state: 'unknown' }
}

/** The shortest main window that an account has. The first request after a reset starts it. */
export function meteringWindowOf(windows: readonly QuotaWindow[]): QuotaWindow {
  const own = windowOf(windows, FIVE_HOUR)
  return own.state === 'absent' ? windowOf(windows, mainWindowOf(FIVE_HOUR).substitute) : own
}

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
) {
  if (week === 0) return { fiveHour: 0, week }
  if (fiveHour === null) return { fiveHour, week }
  if (week === null || multiplier === 'off') return { fiveHour, week }
  return { fiveHour: Math.min(fiveHour, week * multiplier), week }
}

/**
 * Percent of each window that can be spent. A used-up longer window leaves nothing of a shorter one. Only the week caps 5h in proportion, because no
 * other ratio is known.
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

/** Quota that the next reset of each metering window returns to each main window, computed in order of the resets. */
function returnsOf(
  quotas: PerWindow<MeteredQuota>,
  multiplier: WeeklyToFiveHourMultiplier,
): PerWindow<readonly QuotaReturn[]> {
  const returns: Record<MainWindowId, readonly QuotaReturn[]> = perWindow(() => NO_RETURNS)
  let left = perWindow(({ id }) => quotas[id].percent)
  let before = perWindow(({ id }) => quotas[id].spendable)
  for (const { id: reset, at } of nextResets(quotas)) {
    left = perWindow(({ id }) => (quotas[id].metered.id === reset ? 100 : left[id]))
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
  quotas: PerWindow<MeteredQuota>,
): readonly { readonly id: WindowId; readonly at: EpochMs }[] {
  const resets: { readonly id: WindowId; readonly at: EpochMs }[] = []
  for (const { id } of mainWindows) {
    const { metered } = quotas[id]
    const at = resetAtOf(metered)
    if (at !== null && resets.every((other) => other.id !== metered.id))
      resets.push({ id: metered.id, at })
  }
  return resets.sort((a, b) => a.at - b.at)
}
