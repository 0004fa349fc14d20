import type { MainWindowId } from '@svc/core/service'
import { byId } from './by-id.ts'

/** Texts of the table of accounts, loaded together with it. */
export const accountsWords = {
  /** Button that opens the filters on a screen without room for them. */
  filters: (count: number) => (count === 0 ? 'Filters' : `Filters (${count})`),
  clearSearch: 'Clear the search',
  markFilter: 'Status',
  anyMark: 'Any status',
  /** Names of marks, by code. */
  marks: byId<'good' | 'warn' | 'bad' | 'unknown' | 'wait' | 'off'>({
    good: 'Good',
    warn: 'Warning',
    bad: 'Bad',
    unknown: 'Unknown',
    wait: 'Waiting',
    off: 'Disabled',
  }),
  paidFilter: 'Subscription',
  anyPaid: 'Any subscription',
  paid: {
    soon: 'Ends within 7 days',
    ended: 'Ended',
    running: 'Running',
    unknown: 'End unknown',
  },
  /** Shown beside the head of the plans. */
  paidHead: 'ends',
  paidFor: (days: number) => (days < 1 ? '<1d left' : `${days}d left`),
  paidNoMore: 'ended',
  paidCommand: (text: string) => `subscription, ${text.toLowerCase()}`,
  /** Choice for a value in the address that no account has. */
  noneOf: (id: string) => `${id} (0)`,

  windows: byId<MainWindowId>({ '5h': '5h', week: 'week' }),
  routable: (count: string) => `${count} routable`,
  notCounted: 'no tracked quota',
  /** `unknown` is null if nothing is unknown. */
  windowSum: (window: string, left: string, tracked: string, unknown: string | null) =>
    `${window} ${left} of ${tracked} Plus left${unknown === null ? '' : ` (${unknown} unknown)`}`,
  tokens: (tokens: string) => `${tokens} tokens in 24 h`,

  groupByPlan: 'Group by plan',
  /** Name of the menu of the table. */
  tableMenu: 'More for this table',
  unitsOf: (left: string, tracked: string) => `${left} of ${tracked}`,
  unknownToo: (units: string) => `${units} unknown`,
  returns: (units: string, span: string) => `+${units} in ${span}`,
  noReturn: 'no return known',

  pick: (account: string) => `Select ${account}`,
  pickPlan: (plan: string) => `Select every account of ${plan}`,
  pickAll: 'Select all in the table',
  /** `hidden` is the number of picked accounts that a filter hides. */
  picked: (sums: string, hidden: number) =>
    `Selected: ${sums}${hidden === 0 ? '' : ` (${hidden} not in the table now)`}`,
  selectAll: (count: string) => `Select all ${count}`,
  clearPicks: 'Clear selection',
  copyFiles: (count: number) =>
    `Copy ${count === 1 ? 'the auth file name' : `${count} auth file names`}`,
  copiedMasked: 'Names are copied masked.',

  /** Command in the palette. */
  showFilter: (filter: string) => `Accounts: ${filter}`,
}
