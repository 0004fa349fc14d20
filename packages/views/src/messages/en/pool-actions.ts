import { LOW_SHARE } from '@svc/core'
import {
  countedText,
  countText,
  durationText,
  percentText,
  unitsText,
  wholeUnitsText,
} from '../../format/format.ts'
import type { ActionCondition, ActionOf, Words } from '../conditions/conditions.ts'
import {
  causesIn,
  type LossCause,
  lapsingIn,
  onlyCauseIn,
  usedUpLongestFirst,
} from '../names/names.ts'
import { namesIn, whoIn, windowLabel } from './names.ts'
import { unitNames, unitNoun, unitOf } from './unit-name.ts'

const LOW = { kind: 'threshold', badge: 'Low', remedy: 'Slow down, or add accounts.' } as const
const unitsLeft = ({ knownUnits, minimumUnits }: ActionOf<'five_hour_below_minimum'>): string =>
  `${unitsText(knownUnits)} Plus left, the minimum is ${unitsText(minimumUnits)}.`

/** Words for a proxy without a single account. */
export const noAccountsWords: Words = {
  summary: 'No account can take work: the proxy has none.',
  remedy: 'Add an account to the proxy.',
}

type PoolCode =
  | 'nothing_routable'
  | 'five_hour_below_minimum'
  | 'weekly_below_minimum'
  | 'routable_below_minimum'
  | 'runway_short'
  | 'capacity_low'
  | 'failing_account'
  | 'subscription_ends'
  | 'banked_reset_lapses'

/** Words of the actions about the pool as a whole, in the order of docs/reference.md. */
export const poolConditions: { readonly [Wanted in PoolCode]: ActionCondition<ActionOf<Wanted>> } =
  {
    nothing_routable: {
      kind: 'threshold',
      title: 'Nothing routable',
      badge: 'Blocked',
      summary: ({ blockedCount }) =>
        `No account can take work: ${blockedCount === 1 ? 'the only one is' : `all ${blockedCount} are`} blocked.`,
      detail: ({ blockedCount, nextRoutableAt }, { now, text }) => {
        if (blockedCount === 0) return null
        if (nextRoutableAt === null) return 'None of them has a known time to come back.'
        return `First back ${text.whenText(nextRoutableAt, now)}, in ${durationText((nextRoutableAt - now) / 1000)}.`
      },
      remedy: 'Add an account, or wait for the first one to come back.',
      variants: {
        empty: noAccountsWords,
      },
      variantOf: ({ blockedCount }) => (blockedCount === 0 ? 'empty' : null),
    },
    five_hour_below_minimum: {
      ...LOW,
      title: '5h quota below the minimum',
      summary: unitsLeft,
      more: 'The minimum is `alert_five_hour_min_plus`.',
    },
    weekly_below_minimum: {
      ...LOW,
      title: 'Weekly quota below the minimum',
      summary: unitsLeft,
      more: 'The minimum is `alert_weekly_min_plus`.',
    },
    routable_below_minimum: {
      kind: 'threshold',
      title: 'Too few routable accounts',
      badge: 'Few',
      summary: ({ routableCount, minimumCount }) =>
        `${countedText(routableCount, 'routable account')}, the minimum is ${minimumCount}.`,
      remedy: 'Bring blocked accounts back, or add accounts.',
      more: 'The minimum is `alert_routable_min`.',
    },
    runway_short: {
      ...LOW,
      title: 'Quota runs out',
      summary: ({ windowId, runsDryAt, returnsAgainAt }, { now, text }) => {
        const runsOut = `${windowLabel(windowId)} quota runs out ${text.whenText(runsDryAt, now)}`
        return returnsAgainAt === null
          ? `${runsOut}, and no reset is known that returns more.`
          : `${runsOut}, ${durationText((returnsAgainAt - runsDryAt) / 1000)} before more comes.`
      },
      detail: ({ returnsBefore, provider }, { now, text }) =>
        returnsBefore === null
          ? 'At the expected burn. Nothing comes back before then.'
          : `At the expected burn, with ${unitsText(returnsBefore.units)} ${unitNames[unitOf(provider)]} that come back before then, the first ${text.whenText(returnsBefore.firstAt, now)}.`,
      more: 'Red within 2 h. Shows only once the burn is known well: after two days of history.',
    },
    capacity_low: {
      ...LOW,
      title: 'Little quota left',
      summary: ({ windowId, knownUnits, trackedUnits, provider }) =>
        `${windowLabel(windowId)} quota: ${unitsText(knownUnits)} of ${wholeUnitsText(trackedUnits)} ${unitNoun(wholeUnitsText(trackedUnits), unitOf(provider))} left.`,
      more: `Less than ${LOW_SHARE * 100} % of the full pool. Minima of your own come on top.`,
    },
    failing_account: {
      kind: 'upstream',
      title: 'Requests fail',
      badge: 'Failing',
      summary: (action) =>
        `${whoIn(action)}: ${failedShareText(action)} of ${action.accounts.length === 1 ? 'its' : 'their'} ${countText(action.requestCount)} requests in the last hour failed.`,
      detail: namesIn,
      remedy: "Look at the proxy's log for what the vendor answers, or disable the account.",
      more: 'More than 20 % of at least 20 requests in an hour.',
    },
    subscription_ends: {
      kind: 'quota',
      title: 'Subscription ends',
      badge: 'Ends',
      summary: (action, { now, text }) => {
        const { until } = action.accounts[0] ?? { until: now }
        const when = `${text.whenText(until, now)}, in ${durationText((until - now) / 1000)}`
        return action.accounts.length === 1
          ? `${whoIn(action)}: the subscription ends ${when}.`
          : `${whoIn(action)}: the subscriptions end, the first ${when}.`
      },
      detail: ({ accounts }, { now }) => {
        const seenAt = accounts[0]?.seenAt ?? null
        const age =
          seenAt === null ? 'of unknown age' : `${durationText((now - seenAt) / 1000)} old`
        return `So says the last login, ${age}; a renewal since then does not show.`
      },
      remedy: 'Renew the subscription, or plan without the account from then on.',
      more: 'Amber from 7 days before the end that the last login names, red on the last day. A renewal shows once the end has passed and the account still answers.',
    },
    banked_reset_lapses: {
      kind: 'quota',
      title: 'Banked reset lapses',
      badge: 'Lapses',
      summary: (action, { now, text }) => {
        const { until, count } = lapsingIn(action, now)
        const when = `${text.whenText(until, now)}, in ${durationText((until - now) / 1000)}`
        const lapses =
          count === 1 ? 'a banked reset lapses' : `${count} banked resets lapse, the first`
        return `${whoIn(action)}: ${lapses} ${when}.`
      },
      detail: (action, { now, text }) => {
        const accounts = usedUpLongestFirst(action)
        const names = namesIn(action)
        const [first] = accounts
        if (first === undefined) return names
        if (names === null) return `Its week is used up until ${text.momentText(first.until, now)}.`
        return `Worth most first, with the week used up: ${namesIn({ accounts }) ?? first.title}.`
      },
      remedy: 'Spend it in Codex before it lapses; it gives the most where the week is used up.',
      more: 'Amber from 7 days before a banked reset lapses, red on the last day. The monitor never spends one.',
    },
  }

function failedShareText({ requestCount, failedCount }: ActionOf<'failing_account'>): string {
  return percentText((failedCount / requestCount) * 100)
}

const causes: Readonly<Record<LossCause, string>> = {
  expired: 'expired',
  invalidated: 'ended by the vendor',
  refresh_refused: 'refused at a refresh',
  deactivated: 'with a plan or workspace that has ended',
  refused: 'refused without a reason',
}

/** Words of an action about accounts that lost their logins at the same time. The remedy depends on the evidence. */
export const loginWave: ActionCondition<ActionOf<'login_wave'>> = {
  kind: 'auth',
  title: 'Logins lost together',
  badge: 'Wave',
  summary: (action, { now, text }) => {
    const [first, last] = [action.accounts[0], action.accounts.at(-1)].map((account) =>
      text.momentText(account?.lostAt ?? now, now),
    )
    const when = first === last ? `at ${first}` : `between ${first} and ${last}`
    const split = [...causesIn(action)].map(([cause, count]) => `${count} ${causes[cause]}`)
    return `${action.accounts.length} accounts lost their login ${when}: ${split.join(', ')}.`
  },
  detail: namesIn,
  remedy:
    'Renew or remove the accounts whose plan or workspace has ended, and log in again on the proxy with the others.',
  more: 'Accounts that lost their login within an hour, five or a fifth of the pool; those that have it back leave the action.',
  variants: {
    expired: {
      remedy: 'Log in again on the proxy, and keep it running, because it refreshes logins.',
    },
    invalidated: {
      remedy:
        'Find out what ended them, as a changed password or a sign-out everywhere, then log in again on the proxy.',
    },
    refresh_refused: {
      remedy:
        'Let no other program refresh the same logins, because each refresh works once, then log in again on the proxy.',
    },
    deactivated: {
      remedy: 'Renew the plan or workspace, or remove the accounts from the proxy.',
    },
    refused: {
      remedy:
        'Log in again on the proxy with one account; where that is refused too, look at the vendor.',
    },
  },
  variantOf: onlyCauseIn,
}
