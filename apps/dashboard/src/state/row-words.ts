import { accountsWords } from '../words/accounts-words.ts'
import { strings } from '../words/strings.ts'
import { durationText } from '../words/times.ts'
import { privacy } from './display-state.ts'
import { listPlaces } from './fleet.ts'
import { hideNames } from './hidden-names.ts'
import { calmMs, type PoolAccount, type PoolWindow, status, zone } from './live-data.ts'
import {
  findUncountedWindow,
  hasStaleWindow,
  isDisabled,
  isHeldByWeek,
  isReadBeforeReset,
  readingPeriodSeconds,
  subscriptionEndMs,
  subscriptionState,
} from './pool.ts'
import { isOfAll, providerOf, providerTitle } from './providers.ts'
import { windowColumns, windowIn } from './window-columns.ts'
import { leftWord, returnWord } from './window-words.ts'

const DAY_MS = 86_400_000
/** Days before the end of a subscription from which a row shows the end. */
const PAID_SHOWN_DAYS = 14

/** All words in the row of an account, for the search. Shares, scores and ages are omitted because they are numbers. */
export function rowWords(account: PoolAccount): string {
  const name = privacy.value ? hideNames(account.title) : account.title
  return [
    name,
    isOfAll.value ? providerTitle(providerOf(account)) : '',
    placeText(account),
    account.badge,
    paidText(account),
    account.status.text,
    stateNote(account),
    ...windowWords(account),
    sampleWord(account),
    dueNote(account),
  ]
    .filter((words) => words !== undefined && words !== '')
    .join('\n')
}

/** Proxies that list the account: `east, west`; empty while only one proxy is shown. */
export const placeText = (account: PoolAccount): string =>
  strings.listOf(listPlaces(account).map(({ upstream = '' }) => upstream))

/** Remaining time of a subscription that ends soon; empty for any other, and if its end is unknown. */
export function paidText(account: PoolAccount): string {
  const days = paidDays(account)
  if (days === null || days >= PAID_SHOWN_DAYS) return ''
  return days < 0 ? accountsWords.paidNoMore : accountsWords.paidFor(days)
}

/** The number of banked resets, then when each lapses as far as it is known. */
export function bankedTexts({
  count,
  expiresAt,
}: NonNullable<PoolAccount['bankedResets']>): readonly string[] {
  const now = calmMs.value
  const lapses = expiresAt.map((at) => {
    const atMs = Date.parse(at)
    const span = durationText((atMs - now) / 1000)
    return accountsWords.bankedLapses(zone.value.whenText(atMs, now), span)
  })
  return [
    accountsWords.banked(count),
    ...(lapses.length === 0 ? [accountsWords.bankedUnknown] : lapses),
  ]
}

/** Class of the remaining time: `short` from a week before the end, `over` on the last day and after the end. */
export function paidClass(account: PoolAccount): string {
  const state = subscriptionState(account)
  if (state === 'ends_soon') return 'paid short'
  return state === 'last_day' || state === 'ended' ? 'paid over' : 'paid'
}

/** Whole days until the subscription ends, negative once it has ended; null if unknown. */
function paidDays(account: PoolAccount): number | null {
  const untilMs = subscriptionEndMs(account)
  return untilMs === null ? null : Math.floor((untilMs - calmMs.value) / DAY_MS)
}

/**
 * Note under the state: the end of the state or that it is unknown, that the account counts with another file, or the models it cannot serve; empty
 * for none.
 */
export function stateNote(account: PoolAccount): string {
  const {
    status: { until },
    blockedReasons,
    counted,
    blockedModels = [],
  } = account
  const [first = ''] = blockedReasons
  if (until !== null) return untilText(until)
  if (first.startsWith('quota_exhausted')) return strings.noEndKnown
  if (counted === false) return strings.sameAccount
  if (blockedModels.length === 0) return ''
  return strings.withoutModels(strings.listOf(blockedModels.map(modelsText)))
}

/** Maximum number of models that are named; beyond it, their scope is named. */
const MODELS_MAX = 2

/** Models of a used-up window in short: their names, or the scope of the window. */
export function modelsText({ scope, models }: NonNullable<PoolAccount['blockedModels']>[number]) {
  if (models !== null && models.length <= MODELS_MAX) return strings.listOf(models)
  return scope.replaceAll('_', ' ')
}

/** End of a block, as in `until 21:12`. */
export const untilText = (at: string): string =>
  strings.blockedUntil(zone.value.momentText(Date.parse(at), calmMs.value))

/** The windows in the columns of an account's row. A window that the pool does not count is in the last column. */
export function listShownWindows(account: PoolAccount) {
  const uncounted = findUncountedWindow(account) ?? findTightestScoped(account)
  const last = windowColumns.value.length - 1
  return windowColumns.value.map((column, index) => {
    const isUncounted = uncounted !== undefined && index === last
    return { column, window: isUncounted ? uncounted : windowIn(account, column), isUncounted }
  })
}

/** The scoped window with the least left, for an account without windows of its own; undefined if there is none. */
function findTightestScoped({ windows, scopedWindows = [] }: PoolAccount): PoolWindow | undefined {
  if (windows.some(({ state }) => state !== 'absent')) return undefined
  const [tightest] = scopedWindows
    .filter(({ percent }) => percent !== null)
    .sort((one, other) => (one.percent ?? 0) - (other.percent ?? 0))
  return tightest
}

function windowWords(account: PoolAccount): readonly string[] {
  if (isDisabled(account)) return [strings.notTracked]
  return listShownWindows(account).flatMap(({ window }) => [
    window.label ?? '',
    leftWord(window) ?? '',
    returnWord(window, isHeldByWeek(account, window.id)) ?? '',
  ])
}

/** Word beside the age of the newest reading: the reason it is stale, or its origin if that is not a direct query. */
function sampleWord(account: PoolAccount): string {
  const origin = account.lastSample?.origin ?? 'direct'
  if (account.lastSample !== null && hasStaleWindow(account))
    return isReadBeforeReset(account) ? strings.sampleBeforeReset : strings.legend.stale
  return origin === 'direct' ? '' : (strings.origins[origin] ?? origin)
}

/** Interval of an account's readings if it is longer than usual and therefore explains their age; else empty. */
export function dueNote(account: PoolAccount): string {
  const everySeconds = readingPeriodSeconds(account)
  const isRare =
    everySeconds !== null && everySeconds > (status.value?.tabs.pool.sampleEverySeconds ?? 0)
  return isRare && account.lastSample !== null ? dueText(everySeconds) : ''
}

/** Planned interval of readings: `due every 6h`. */
export const dueText = (seconds: number): string =>
  strings.dueEvery(durationText(seconds).replace(' 00min', ''))
