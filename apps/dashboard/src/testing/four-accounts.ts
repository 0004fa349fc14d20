import './browser.ts'
import { anEntry, type Entry } from './page.ts'

/** Two usable accounts, one waiting for its reset, and one disabled. */
export const fourAccounts = (): readonly Entry[] => [
  anEntry('ana', { fiveHour: 90 }),
  anEntry('bob', { fiveHour: 50 }),
  anEntry('cyd', { fiveHour: 0 }),
  anEntry('dan', { fiveHour: 80 }, { operatorDisabled: true }),
]
