import type { ActionCondition, ActionOf } from '../conditions/action-condition.ts'
import { causesIn, type LossCause, onlyCauseIn } from '../names/lost-logins.ts'
import { namesIn } from './account-names.ts'

const causes: Readonly<Record<LossCause, string>> = {
  expired: 'expired',
  invalidated: 'ended by the vendor',
  refresh_refused: 'refused at a refresh',
  deactivated: 'with a plan or workspace that has ended',
  refused: 'refused without a reason',
}

/** Words of an action about accounts that lost their login together. The remedy is split by the evidence. */
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
