import './browser.ts'
import { searchParameters } from '../state/account-filters.ts'
import { smallDocument } from './browser.ts'
import { anEntry, clearPage, type Entry } from './page.ts'

/** Two accounts that can be used, one that waits for its reset, one that is disabled. */
export const fourAccounts = (): readonly Entry[] => [
  anEntry('ana', { fiveHour: 90 }),
  anEntry('bob', { fiveHour: 50 }),
  anEntry('cyd', { fiveHour: 0 }),
  anEntry('dan', { fiveHour: 80 }, { operatorDisabled: true }),
]

/** Takes the view of accounts away, with all that was chosen in it and its address. */
export function clearAccounts(): void {
  clearPage()
  location.hash = ''
  smallDocument.activeElement = null
  for (const { write } of searchParameters) write(null)
}
