/**
 * `5h`, `day`, `week`, `month`, `<seconds>s`, `spend` or `limit` for the account's own limits; `<scope>:<kind>`, such as `opus:week`,
 * `code_review:<kind>` or `extra:<feature>:<kind>`, for limits of a narrower scope.
 */
export type WindowId = string

interface MainWindowRow {
  readonly id: WindowId
  readonly seconds: number
  readonly label: string
  /** The window that meters an account whose plan lacks this one. */
  readonly substitute: WindowId
}

/** The windows shown for every account and used for a pool's capacity, in display order. */
export const mainWindows = [
  { id: '5h', seconds: 5 * 3600, label: '5h', substitute: 'week' },
  { id: 'week', seconds: 7 * 24 * 3600, label: 'Weekly', substitute: '5h' },
] as const satisfies readonly MainWindowRow[]

export type MainWindow = (typeof mainWindows)[number]
export type MainWindowId = MainWindow['id']

/** One value for each of `mainWindows`. */
export type PerWindow<Value> = Readonly<Record<MainWindowId, Value>>

/** Computes one value for each of `mainWindows`. */
export function perWindow<Value>(make: (window: MainWindow) => Value): PerWindow<Value> {
  // Written out, because it is called several times per account and evaluation.
  const [fiveHour, week] = mainWindows
  return { '5h': make(fiveHour), week: make(week) }
}

/** Whether `mainWindows` has a row for this window. */
export function isMainWindowId(id: WindowId): id is MainWindowId {
  return mainWindows.some((row) => row.id === id)
}

/** Ids of the two main windows, for rules about only one of them. */
export const FIVE_HOUR = '5h' satisfies MainWindowId
export const WEEK = 'week' satisfies MainWindowId

const rows = perWindow((row) => row)

export const FIVE_HOUR_SECONDS = rows[FIVE_HOUR].seconds
export const WEEK_SECONDS = rows[WEEK].seconds

export function mainWindowOf(id: MainWindowId): MainWindow {
  return rows[id]
}

/** Largest relative deviation from a main window's length at which a window still gets that window's id. */
export const PERIOD_TOLERANCE = 0.1
const DAY_SECONDS = 24 * 3600
const MONTH_SECONDS_MIN = 28 * 24 * 3600
const MONTH_SECONDS_MAX = 31 * 24 * 3600

/** Id of one of the account's own limits, chosen by its length in seconds and never by its position in the answer. */
export function windowIdOf(periodSeconds: number): WindowId {
  const main = mainWindows.find(({ seconds }) => isNear(periodSeconds, seconds))
  if (main !== undefined) return main.id
  if (isNear(periodSeconds, DAY_SECONDS)) return 'day'
  if (periodSeconds >= MONTH_SECONDS_MIN && periodSeconds <= MONTH_SECONDS_MAX) return 'month'
  return `${Math.round(periodSeconds)}s`
}

/** Windows that may meter an account, shortest first, with their lengths in seconds. */
export const meteringWindows: ReadonlyMap<WindowId, number> = new Map<WindowId, number>([
  [FIVE_HOUR, FIVE_HOUR_SECONDS],
  ['day', DAY_SECONDS],
  [WEEK, WEEK_SECONDS],
  ['month', 30 * DAY_SECONDS],
])

/** True for the account's own limits, including those without a row in `mainWindows`. Limits of a narrower scope never affect routing or capacity. */
export function isMainWindow(id: WindowId): boolean {
  return !id.includes(':')
}

function isNear(seconds: number, target: number): boolean {
  return Math.abs(seconds - target) <= target * PERIOD_TOLERANCE
}
