/** The texts of the table of accounts that come with it. */
export const accountsWords = {
  markFilter: 'Status',
  anyMark: 'Any status',
  /** By the code of how an account is marked. */
  marks: {
    good: 'Good',
    warn: 'Warning',
    bad: 'Bad',
    unknown: 'Unknown',
    wait: 'Waiting',
    off: 'Disabled',
  } as Readonly<Record<string, string>>,
  /** What a link asks for and no account has. */
  noneOf: (id: string) => `${id} (0)`,

  /** In the list of what can be done. */
  showFilter: (filter: string) => `Accounts: ${filter}`,
}
