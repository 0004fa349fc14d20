import { countedText } from '@svc/views/format'
import { type Explained, terms } from './terms.ts'

/** Every term of the page with its explanation, including those that are not explained in place. */
export const glossary = {
  ...terms,
  measured: { word: 'measured', meaning: 'From a reading that is as new as planned.' },
  stale: {
    word: 'stale',
    meaning: 'From an old reading: less may be left by now. It counts as left until a newer one.',
  },
  unknown: { word: 'unknown', meaning: 'Of accounts that have not been read yet.' },
  notReported: {
    word: 'not reported',
    meaning:
      'The vendor tells no such quota of the account. Unlike unknown, no reading will change that; the account is used by its state.',
  },
  blockedModels: {
    word: 'blocked models',
    meaning:
      'A row that says “not Opus”: a window for these models alone is used up, and the account serves all others. It changes neither state nor score.',
  },
  routable: { word: 'routable', meaning: 'May be used now. A blocked account must not be.' },
  waitsForWeek: {
    word: 'waits for the week',
    meaning:
      'The week is used up: a reset of the 5h window gives nothing back before the week does.',
  },
  resetUnproven: {
    word: 'reset?',
    meaning: 'Its reset has passed, so it counts as full, but no newer reading shows that yet.',
  },
  notStarted: {
    word: 'starts with first use',
    meaning: 'The time of this window runs from the first request on, and there was none.',
  },
  notCounted: {
    word: 'not counted',
    meaning:
      'Not part of the capacity of the pool: the plan has no known weight, or the account is counted already.',
  },
  load: {
    word: 'Load 24 h',
    meaning: 'The share of the pool’s tokens that went through the account.',
  },
  notTracked: {
    word: 'not tracked',
    meaning: 'The operator has switched the account off: its quota is not queried or counted.',
  },
  probe: { word: 'Probe', meaning: 'One query for the quota of an account, asked for its sample.' },
  sample: {
    word: 'Sample',
    meaning: "The newest reading of an account's windows: how old it is and what it came with.",
  },
  gateway: { word: 'Gateway', meaning: 'The proxy as its users reach it.' },
  source: { word: 'Source', meaning: 'Something the monitor watches, with when it last answered.' },
} as const satisfies Readonly<Record<string, Explained>>

/** Words of the sheet with the parts of a sum of quota. */
export const partsWords = {
  title: 'Quota by account',
  states: {
    usable: (count: number) => `Usable: ${countedText(count, 'account')}`,
    held: (count: number) => `Held, on blocked accounts: ${countedText(count, 'account')}`,
    unknown: (count: number) => `Unknown, not read yet: ${countedText(count, 'account')}`,
  },
  loading: 'Loading the accounts.',
  more: (count: number) => `${count} more`,
  all: 'All as JSON',
  failed: 'The parts could not be loaded.',
}
