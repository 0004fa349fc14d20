import { accountsWords } from '../words/accounts-words.ts'
import { strings } from '../words/strings.ts'
import { durationText } from '../words/times.ts'
import { privacy } from './display-state.ts'
import { placesOf } from './fleet.ts'
import { hideNames } from './hidden-names.ts'
import { calmMs, type PoolAccount, type PoolWindow, status, zone } from './live-data.ts'
import {
  isDisabled,
  isHeldByWeek,
  isReadBeforeReset,
  isStale,
  paidUntilMsOf,
  sampleSecondsOf,
  subscriptionStateOf,
  uncountedWindowOf,
  windowOf,
} from './pool.ts'

const DAY_MS = 86_400_000
/** Days before the end of a subscription from which a row shows it. */
const PAID_SHOWN_DAYS = 14

/** Every word in the row of an account, for the search. Shares, scores and ages are numbers, so they are left out. */
export function rowWords(account: PoolAccount): string {
  const name = privacy.value ? hideNames(account.title) : account.title
  return [
    name,
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
  strings.listOf(placesOf(account).map(({ upstream = '' }) => upstream))

/** Remaining time of a subscription that ends soon; empty for any other, and if its end is unknown. */
export function paidText(account: PoolAccount): string {
  const days = paidDaysOf(account)
  if (days === null || days >= PAID_SHOWN_DAYS) return ''
  return days < 0 ? accountsWords.paidNoMore : accountsWords.paidFor(days)
}

/** Class of the remaining time: `short` from a week before the end, `over` on the last day and after the end. */
export function paidClass(account: PoolAccount): string {
  const state = subscriptionStateOf(account)
  if (state === 'ends_soon') return 'paid short'
  return state === 'last_day' || state === 'ended' ? 'paid over' : 'paid'
}

/** Whole days until the subscription ends, negative once it has ended; null if unknown. */
function paidDaysOf(account: PoolAccount): number | null {
  const untilMs = paidUntilMsOf(account)
  return untilMs === null ? null : Math.floor((untilMs - calmMs.value) / DAY_MS)
}

/** Note under the state: the time it ends, or that the account counts with another file; empty for none. */
export function stateNote({ status: { until }, blockedReasons, counted }: PoolAccount): string {
  const [first = ''] = blockedReasons
  if (until !== null) return untilText(until)
  if (first.startsWith('quota_exhausted')) return strings.noEndKnown
  return counted === false ? strings.sameAccount : ''
}

/** End of a block, as in `until 21:12`. */
export const untilText = (at: string): string =>
  strings.blockedUntil(zone.value.momentText(Date.parse(at), calmMs.value))

/** Word for a window without a share: `?`, `none`; null if it has one. */
export function leftWord({ state }: Pick<PoolWindow, 'state'>): string | null {
  if (state === 'absent') return strings.none
  return state === 'unknown' ? strings.question : null
}

/** Whether no request has started the window's clock. An unproven reset takes precedence. */
export const isWaitingForUse = ({ notStarted = false, rolledOver = false }: PoolWindow): boolean =>
  notStarted && !rolledOver

/** Word in place of the time to a window's reset; null if the time is shown. */
export function returnWord(window: PoolWindow, heldByWeek: boolean): string | null {
  const { state, resetsInSeconds, rolledOver = false } = window
  if (heldByWeek) return strings.waitsForWeek
  if (isWaitingForUse(window)) return strings.notStarted
  if (resetsInSeconds !== null) return null
  if (state === 'exhausted') return strings.noTime
  return rolledOver ? strings.resetUnproven : ''
}

function windowWords(account: PoolAccount): readonly string[] {
  if (isDisabled(account)) return [strings.notTracked]
  const shown = [windowOf(account, '5h'), uncountedWindowOf(account) ?? windowOf(account, 'week')]
  return shown.flatMap((window) => [
    leftWord(window) ?? '',
    returnWord(window, isHeldByWeek(account, window.id)) ?? '',
  ])
}

/** Word beside the age of the newest reading: the reason it is stale, or its origin if that is not a direct query. */
function sampleWord(account: PoolAccount): string {
  const origin = account.lastSample?.origin ?? 'direct'
  if (account.lastSample !== null && isStale(account))
    return isReadBeforeReset(account) ? strings.sampleBeforeReset : strings.legend.stale
  return origin === 'direct' ? '' : (strings.origins[origin] ?? origin)
}

/** Interval of an account's readings if it is longer than usual and therefore explains their age; else empty. */
export function dueNote(account: PoolAccount): string {
  const everySeconds = sampleSecondsOf(account)
  const isRare =
    everySeconds !== null && everySeconds > (status.value?.tabs.pool.sampleEverySeconds ?? 0)
  return isRare && account.lastSample !== null ? dueText(everySeconds) : ''
}

/** Planned interval of readings: `due every 6h`. */
export const dueText = (seconds: number): string =>
  strings.dueEvery(durationText(seconds).replace(' 00min', ''))
