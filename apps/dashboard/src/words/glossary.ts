/** Words of the page that need a sentence, in the order in which they are met. */
export const glossary: readonly { readonly word: string; readonly means: string }[] = [
  {
    word: '1 Plus',
    means: 'The quota of one Plus account. A Team account counts 1, Prolite 5, Pro 20.',
  },
  { word: '5h, Week', means: 'The two quotas of an account: over five hours, and over a week.' },
  {
    word: 'Measured, stale, unknown',
    means:
      'Quota that was read lately; that was read a while ago; that has not been read. Solid, hatched and dotted.',
  },
  {
    word: 'Sample',
    means: 'The reading of an account that counts: how old it is and where it comes from.',
  },
  { word: 'Routable, blocked', means: 'An account that may, or must not, be used now.' },
  {
    word: 'Score',
    means:
      'How good a choice an account is now, 0 to 100: quota left, health, plan, load, and quota that is about to expire. The first in rank has the highest.',
  },
  { word: 'Load 24 h', means: 'The share of the pool’s tokens that went through the account.' },
  {
    word: 'Reclaim, use it or lose it',
    means: '5h quota that is lost within the hour unless it is used.',
  },
  {
    word: 'Pace',
    means: 'How fast the pool uses quota, and how long it lasts if that goes on.',
  },
  {
    word: 'reset?',
    means: 'The time of a reset has passed, and no reading has shown it yet.',
  },
  { word: 'by week', means: 'The week is used up, so a 5h reset gives nothing back before it.' },
  {
    word: 'not tracked',
    means: 'The operator has switched the account off: its quota is not queried or counted.',
  },
  {
    word: 'Probe',
    means: 'One query for the quota of an account, asked for its sample.',
  },
]
