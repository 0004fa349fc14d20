import type { MainWindowId } from '@svc/core/service'
import { byId } from './by-id.ts'

/** Words of the Resets view. */
export const resetsWords = {
  lane: 'Expires unused',
  noAccounts: 'No accounts yet.',
  nothingExpires: 'No 5h quota is about to expire.',
  laneSum: (accounts: string) => `in ${accounts} expire unused within the hour`,
  /** Head of a list of sums by provider, whose units cannot be added. */
  laneSumOfAll: (accounts: string) => `Of ${accounts} within the hour:`,
  toUse: (span: string) => `*${span}* left to use them`,
  resetTitles: byId<MainWindowId>({ '5h': '5-hour resets', week: 'Weekly resets' }),
  horizons: byId<'6' | '24' | '168'>({ 6: '6 hours', 24: '24 hours', 168: '7 days' }),
  resetSumRest: (horizon: string, total: string, tracked: string) =>
    `in the next ${horizon}, to ${total} of ${tracked} if nothing is used`,
  /** Units of a sum of resets that no reset of its window returns. */
  freed: (units: string) => `; ${units} of it are held until another window resets`,
  resetHeads: { in: 'In', at: 'At', account: 'Account', left: 'Left now' },
  byProvider: 'Resets are listed for one provider at a time:',
  /** Reasons why several resets return nothing. */
  idleReasons: {
    unproven: 'reset not confirmed',
    notStarted: 'start with first use',
    full: 'full: nothing gained',
    uncounted: 'not counted',
    unknown: 'no reset time known',
  },
}
