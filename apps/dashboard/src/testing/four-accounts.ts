import './browser.ts'
import { takeQuery } from '../state/address-parameters.ts'
import { anEntry, clearPage, type Entry, leaveFocus } from './page.ts'

/** Two usable accounts, one waiting for its reset, and one disabled. */
export const fourAccounts = (): readonly Entry[] => [
  anEntry('ana', { fiveHour: 90 }),
  anEntry('bob', { fiveHour: 50 }),
  anEntry('cyd', { fiveHour: 0 }),
  anEntry('dan', { fiveHour: 80 }, { operatorDisabled: true }),
]

/** Removes the accounts view and resets its choices and its address. */
export function clearAccounts(): void {
  clearPage()
  location.hash = ''
  leaveFocus()
  takeQuery('accounts', '')
}
