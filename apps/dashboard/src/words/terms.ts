import { RUNWAY_HOURS_MAX } from '@svc/core/pool'

/** A term of the page and its explanation. */
export interface Explained {
  readonly word: string
  readonly meaning: string
}

/** Terms explained where they are used, the same as in docs/glossary.md. */
export const terms = {
  plus: {
    word: 'Plus',
    meaning: 'One Plus is a full window of a Plus account. Team counts 1, Prolite 5, Pro 20.',
  },
  pro: {
    word: 'Pro',
    meaning: 'One Pro is a full window of a Claude Pro account. Max 5x counts 5, Max 20x 20.',
  },
  accounts: {
    word: 'accounts',
    meaning: 'The vendor tells no sizes of its plans, so a full window of any account counts 1.',
  },
  pace: {
    word: 'Pace',
    meaning: `Units that the monitor expects to be used in the next hour, and how long what is left then lasts: if no reset returned more, and with the resets that come. Later hours are expected as their time of day usually goes, so the two numbers need not divide. A plan ends here if its subscription ends within ${RUNWAY_HOURS_MAX} h: its quota counts only until then.`,
  },
  next: { word: 'Next', meaning: 'What the next reset of this window gives back to the pool.' },
  score: {
    word: 'Score',
    meaning:
      'How good an account is to use next, 0 to 100: from the quota left for its time, its health, its plan, its load and what it would lose.',
  },
  reclaim: {
    word: 'Expires unused',
    meaning: '5h quota that is lost within the hour if nobody spends it (reclaim).',
  },
} as const satisfies Readonly<Record<string, Explained>>

export type TermId = keyof typeof terms
