/** The texts around the list of recent changes. */
export const recentChangeWords = {
  kindLabel: 'Which changes',
  kinds: { all: 'All', account: 'Accounts', pool: 'Pool', source: 'Sources' },
  account: 'Account of the changes',
  anyAccount: 'All accounts',
  none: 'No recent changes of this kind.',
  more: (count: number) => `Show ${count} more`,
  fewer: 'Show fewer',
  ofAccount: (count: number) => (count === 1 ? '1 recent change' : `${count} recent changes`),
}
