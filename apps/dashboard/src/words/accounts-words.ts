import { capitalised } from '@svc/views/format'
import { byId } from './by-id.ts'
import type { FurtherWindowId } from './strings.ts'

/** Texts of the table of accounts, loaded together with it. */
export const accountsWords = {
  /** Button that opens the filters on a small screen. */
  filtersButton: (count: number) => (count === 0 ? 'Filters' : `Filters (${count})`),
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
  /** Head of the subscription's remaining time, beside the head of the plans. */
  paidHead: 'ends',
  paidFor: (days: number) => (days < 1 ? '<1d left' : `${days}d left`),
  paidNoMore: 'ended',
  paidCommand: (text: string) => `subscription, ${text.toLowerCase()}`,
  /** Choice for a value in the address that no account has. */
  noneOf: (id: string) => `${id} (0)`,

  windows: byId<FurtherWindowId | 'scoped'>({
    '5h': '5h',
    day: 'day',
    week: 'week',
    month: 'month',
    scoped: 'limit',
  }),
  /** Head of a column of windows: `5h left`, `Week/month left`. */
  windowLeft: (windows: readonly string[]) => `${capitalised(windows.join('/'))} left`,
  windowResets: (windows: readonly string[]) => `${capitalised(windows.join('/'))} resets in`,
  routable: (count: string) => `${count} routable`,
  notCounted: 'no tracked quota',
  /** `tracked` with its unit; `beside` says what is held or unknown, if anything is. */
  windowSum: (window: string, usable: string, tracked: string, beside: string) =>
    `${window} ${usable} of ${tracked} usable${beside === '' ? '' : ` (${beside})`}`,
  tokens: (tokens: string) => `${tokens} tokens in 24 h`,

  groupByPlan: 'Group by plan',
  /** Name of the table's menu. */
  tableMenu: 'More for this table',
  unitsOf: (usable: string, tracked: string) => `${usable} of ${tracked}`,
  unknownToo: (units: string) => `${units} unknown`,
  returns: (units: string, span: string) => `+${units} in ${span}`,
  noReturn: 'no return known',

  pick: (account: string) => `Select ${account}`,
  pickGroup: (group: string) => `Select every account of ${group}`,
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

  searchLabel: 'Search accounts',
  sort: 'Sort',
  filter: 'Filter',
  filters: {
    all: 'All',
    routable: 'Routable',
    blocked: 'Blocked',
    reclaim: 'Expires soon',
    disabled: 'Disabled',
    stale: 'Stale',
    needs: 'Needs you',
  },
  planFilter: 'Plan',
  anyPlan: 'All plans',
  causeFilter: 'Blocked by',
  anyCause: 'Any cause',
  toBlocked: 'Jump to blocked',
  columns: {
    rank: '#',
    account: 'Account',
    upstream: 'Proxy',
    plan: 'Plan',
    paidUntil: 'Subscription ends',
    bankedReset: 'Banked reset lapses',
    status: 'Status',
    score: 'Score',
    load: 'Load 24 h',
    sample: 'Sample',
    resetsIn: 'resets in',
  },
  /** Resets that the owner may spend. */
  banked: (count: number) => (count === 1 ? '1 banked reset' : `${count} banked resets`),
  bankedLapses: (when: string, span: string) => `Lapses ${when}, in ${span}`,
  bankedUnknown: 'When it lapses is unknown.',
  bankedMark: (count: number) => (count === 1 ? '+1 reset' : `+${count} resets`),
  bankedHead: 'lapses',
  rankName: 'Rank',
  accountsCaption: 'Accounts',
  blockedGroup: (count: number) => `Blocked, ${count}.`,
  blockedCauses: {
    reset: (count: number) => `${count} wait${count === 1 ? 's' : ''} for a reset`,
    cool: (count: number) => `${count} cool${count === 1 ? 's' : ''} down`,
    you: (count: number) => `${count} need${count === 1 ? 's' : ''} you`,
    unavailable: (count: number) => `${count} unavailable`,
    disabled: (count: number) => `${count} disabled`,
  },
  noMatch: 'No account matches.',
  clearFilters: 'Clear filters',
  sampleStale: (span: string) => `${span} stale`,
  sampleFrom: (span: string, origin: string) => `${span} *${origin}*`,
}
