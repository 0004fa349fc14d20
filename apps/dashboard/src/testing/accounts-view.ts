import './browser.ts'
import { h } from 'preact'
import { searchParameters } from '../state/account-filters.ts'
import { Accounts } from '../views/accounts.tsx'
import { smallDocument } from './browser.ts'
import { anEntry, clearPage, draw, type Entry, showPool } from './page.ts'
import type { SmallElement } from './small-document.ts'

/** Two accounts that can be used, one that waits for its reset, one that is disabled. */
const fourAccounts = (): readonly Entry[] => [
  anEntry('ana', { fiveHour: 90 }),
  anEntry('bob', { fiveHour: 50 }),
  anEntry('cyd', { fiveHour: 0 }),
  anEntry('dan', { fiveHour: 80 }, { operatorDisabled: true }),
]

/** Draws the view of these accounts. */
export function drawAccounts(entries: readonly Entry[] = fourAccounts()): SmallElement {
  showPool(entries)
  return draw(h(Accounts, { title: 'Accounts' }))
}

/** Takes the view away, with all that was chosen in it and its address. */
export function clearAccounts(): void {
  clearPage()
  location.hash = ''
  smallDocument.activeElement = null
  for (const { write } of searchParameters) write(null)
}
