/** What the words of the page mean, as docs/glossary.md has it. */
export const glossary = {
  plus: {
    word: 'Plus',
    meaning: 'One Plus is a full window of a Plus account. Team counts 1, Prolite 5, Pro 20.',
  },
  measured: { word: 'measured', meaning: 'From a reading that is as new as planned.' },
  stale: {
    word: 'stale',
    meaning: 'From an old reading: less may be left by now. It counts as left until a newer one.',
  },
  unknown: { word: 'unknown', meaning: 'Of accounts that have not been read yet.' },
  pace: {
    word: 'Pace',
    meaning:
      'Plus units used in an hour as the monitor expects it, and how long what is left then lasts: if no reset returned more, and with the resets that come.',
  },
  next: { word: 'Next', meaning: 'What the next reset of this window gives back to the pool.' },
  routable: { word: 'routable', meaning: 'May be used now. A blocked account must not be.' },
  score: {
    word: 'Score',
    meaning:
      'How good an account is to use next, 0 to 100: from the quota left for its time, its health, its plan, its load and what it would lose.',
  },
  reclaim: {
    word: 'Use it or lose it',
    meaning: '5h quota that is lost within the hour if nobody spends it (reclaim).',
  },
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
} as const satisfies Readonly<Record<string, { readonly word: string; readonly meaning: string }>>

/** Names one of them. */
export type GlossaryId = keyof typeof glossary
