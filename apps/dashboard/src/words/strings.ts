import { READINGS_MS_MIN, RUNWAY_HOURS_MAX } from '@svc/core/pool'
import type { MainWindowId } from '@svc/core/service'
import { countedText } from '@svc/views/format'
import { byId } from './by-id.ts'
import { statsWords } from './stats-words.ts'

/** Ids of an account's own windows that have a name. */
export type FurtherWindowId = MainWindowId | 'day' | 'month'

/** Every text of the page that the API does not provide. Parts between asterisks are emphasised. */
export const strings = {
  product: 'Quota',
  skip: 'Skip to content',
  viewsLabel: 'Views',
  viewTitles: {
    overview: 'Overview',
    accounts: 'Accounts',
    resets: 'Resets',
    stats: 'Stats',
    prices: 'Prices',
    health: 'Health',
  },
  /** Separator between two sentences, and after a colon. */
  gap: ' ',
  sentence: (words: string) => `${words}.`,
  listOf: (parts: readonly string[]) => parts.join(', '),
  reading: (of: string, text: string) => `${of}: ${text}`,
  windows: byId<FurtherWindowId>({
    '5h': '5-hour quota',
    day: 'Daily quota',
    week: 'Weekly quota',
    month: 'Monthly quota',
  }),
  /** Title of a quantity that has several windows. */
  quota: 'Quota',
  windowTitles: byId<FurtherWindowId>({
    '5h': '5h',
    day: 'Daily',
    week: 'Weekly',
    month: 'Monthly',
  }),
  shortWindows: byId<FurtherWindowId>({ '5h': '5h', day: 'D', week: 'W', month: 'M' }),
  usable: 'usable',
  openParts: 'Show the accounts that it is the sum of',
  usableOfTracked: (usable: string, tracked: string, unit: string) =>
    `${usable} of ${tracked} ${unit} usable`,
  percentLeft: (percent: string) => `${percent} left`,
  atLeast: 'at least',
  ofUnits: (tracked: string) => `of ${tracked}`,
  nothingTracked: 'No tracked quota',
  measured: (units: string) => `${units} measured`,
  stale: (units: string) => `${units} stale`,
  held: (units: string) => `${units} held`,
  unknown: (units: string) => `${units} unknown`,
  barLabel: (usable: string, parts: readonly string[]) => `${usable}: ${parts.join(', ')}`,
  barLabelAtLeast: (label: string) => `At least ${label}`,
  next: 'Next',
  pace: 'Pace',
  noNext: 'No reset returns more',
  noNextYet: 'No reset time known yet',
  paceUnknown: `Unknown, needs ${READINGS_MS_MIN / 60_000} min of readings.`,
  paceBurn: (burn: string, unit: string) => `${burn} ${unit}/h`,
  paceHalves: (burn: string, alone: string | null, withResets: string) =>
    alone === null
      ? `${burn}: over ${RUNWAY_HOURS_MAX} h even without resets`
      : `${burn}: ${alone}, ${withResets}`,
  paceUsedUp: 'nothing left',
  paceSafe: `with resets over ${RUNWAY_HOURS_MAX} h`,
  /** `to` is null if the dry time may lie beyond the forecast. */
  paceRough: (burn: string, from: number, to: number | null) =>
    `${burn}, rough: ${to === null ? `${from} h or more` : `${from} to ${to} h`} with resets`,
  paceRoughlySafe: (burn: string) => `${burn}, rough: beyond ${RUNWAY_HOURS_MAX} h with resets`,
  paceTight: `with resets perhaps not ${RUNWAY_HOURS_MAX} h`,
  paceTightFrom: (earliest: string) => `with resets until ${earliest} or longer`,
  paceBand: (earliest: string, latest: string) => `${earliest} to ${latest}`,
  paceUntil: (moment: string, band: string | null) =>
    `with resets until ${moment}${band === null ? '' : ` (${band})`}`,
  /** Number of plans that end. Short, because a wall display has no more room; the glossary explains it under `Pace`. */
  paceLapsing: (count: number) => `, ${countedText(count, 'plan')} ${count === 1 ? 'ends' : 'end'}`,
  accountCount: (count: number) => countedText(count, 'account'),
  andAccounts: (accounts: string) => `, ${accounts}`,
  /** `units` includes the unit, for example `0.2 Plus`. */
  nextReturn: (units: string, moment: string, span: string) => ({
    units: `+${units}`,
    rest: `${moment}, in ${span}`,
  }),
  /** The question that the answer line answers. */
  bigJob: 'Can a big job start?',
  now: 'now',
  useNext: 'Use next',
  thenUse: 'After that',
  needsYou: 'Needs you',
  moreActions: (count: number, urgent: number) =>
    `${count} more${urgent === 0 ? '' : `, ${urgent} urgent`}`,
  comesBack: 'Comes back',
  comesBackAtLeast: 'Comes back, at least',
  allResets: 'All resets',
  momentSpan: (from: string, to: string) => `${from} – ${to}`,
  healthLink: 'Health',
  counts: (routable: number, blocked: number) => `${routable} routable, ${blocked} blocked`,
  ofHundred: 'of 100',
  nothingRoutable: 'No account can take work.',
  nothingToDo: 'Nothing to do.',
  notKnownSilent: 'Not known while the monitor is silent.',
  silentSince: (since: string) => `Not known: the monitor has been silent since ${since}.`,
  noResets: 'No reset times known yet.',
  /** Loss of units such as `0.2 Plus`, and its time. `span` is null if the remaining time is shown beside the text. */
  expires: (units: string, when: string, span: string | null) =>
    `*${units} expire unused* ${when}${span === null ? '' : `, in ${span}`}`,
  viewFailed: 'This view could not be loaded. Open it again once the monitor answers.',
  waiting: 'Waiting for the first reading.',
  noAccounts: 'The proxy has no accounts. Add one there; it will show up here within 20 seconds.',
  /** Meaning of each unit of capacity. */
  unitNotes: byId<'plus' | 'pro'>({
    plus: '1 Plus = the quota of one Plus account',
    pro: '1 Pro = the quota of one Claude Pro account',
  }),
  /** `span` is the difference between this browser's clock and the zone's. */
  otherZone: (zone: string, span: string, isAhead: boolean) =>
    `Times are those of ${zone}. This browser's clock is ${span} ${isAhead ? 'ahead' : 'behind'}; to have its time here, set`,
  times: (zone: string) => `Times in ${zone}`,

  printed: (view: string, moment: string) => `Quota, ${view}, ${moment}.`,
  printedData: (moment: string, span: string) => `Data of ${moment}, ${span} old.`,
  ago: (span: string) => `${span} ago`,
  old: (span: string) => `${span} old`,
  at: (clock: string) => `at ${clock}`,
  noData: 'no data',

  refresh: 'Refresh',
  refreshTakes: (span: string) => `Refresh all accounts: took ${span} the last time`,
  refreshing: (done: number, queued: number) => `Refreshing ${done} of ${queued}`,
  probing: (done: number, queued: number) => `Probing ${done} of ${queued}`,
  refreshLeft: (text: string, span: string) => `${text}, ${span} left`,
  refreshed: (count: number) => `Refreshed ${count} account${count === 1 ? '' : 's'}`,
  refreshedSome: (good: number, failed: number) => `Refreshed ${good}, ${failed} failed`,
  probed: (count: number) => `Probed ${count} disabled account${count === 1 ? '' : 's'}`,
  probedSome: (good: number, failed: number) => `Probed ${good}, ${failed} failed`,
  refreshFailed: (error: string) =>
    `Refresh failed: ${error === '' ? 'no account answered.' : error}`,
  refreshCancelled: (good: number, queued: number) => `Cancelled: ${good} of ${queued} refreshed`,
  nobodyToRefresh: 'There was no account to ask about.',
  refreshLost: 'The refresh was lost: the monitor has restarted.',
  cancelRefresh: 'Cancel the refresh',
  cancelling: 'Cancelling…',
  refreshOne: 'Refresh this account',
  refreshErrors: {
    401: 'This page is out of date. Reloading.',
    stillRefused: 'The refresh was refused again after reloading this page.',
    403: 'This host name is not allowed. Add it to allowed_hosts.',
    404: 'The monitor knows this account no more.',
    503: 'Refresh is off: no management key. Run `svc-quota-monitor doctor`.',
    standby: (holder: string | null) =>
      `Another monitor of the same history asks the vendor${holder === null ? '' : `: ${holder}`}. Refresh there.`,
    key: 'Refresh from this page is off: manual_quota_refresh_auth is management-key.',
    offline: 'The monitor does not answer.',
    other: (status: number) => `The monitor answered with status ${status}.`,
  },
  probe: 'Probe disabled accounts',
  probeNote: 'Diagnostic. Each is queried once and stays disabled.',
  probeOne: 'Probe this account',
  probeOneNote: 'Diagnostic. It is queried once and stays disabled.',
  privacyHide: 'Privacy: hide names',
  privacyShow: 'Privacy: show names',
  menu: 'Display and diagnostics',
  theme: 'Theme',
  themes: { system: 'System', light: 'Light', dark: 'Dark', eink: 'High contrast' },
  shortcuts: 'Keyboard shortcuts',
  glossary: 'What the words mean',
  routing: 'Route by the ranking',
  contract: 'API contract',
  version: (version: string) => `Version ${version}`,
  demo: 'Demo data',
  demoConnect: ' · connect your proxy',
  palette: 'Go to or do',
  palettePlaceholder: 'A view, an account, an action',
  noCommand: 'Nothing of that name.',
  refreshAll: 'Refresh all accounts',
  nextTheme: 'Next theme',
  copyLink: 'Copy the link to this view',
  copyCommand: 'Copy the command that asks for the account to use next',
  singleKeys: 'Single-key shortcuts',
  close: 'Close',
  keys: [
    ['/', 'Search accounts'],
    ['j  k', 'Next and previous account'],
    ['↓  ↑', 'The same from a row of the table'],
    ['Space', 'Select the account'],
    ['Shift ↓  ↑', 'Select more accounts'],
    ['Ctrl A', 'Select all in the table'],
    ['c', 'Copy the names of the selected'],
    ['Enter', 'Why this account'],
    ['Esc', 'Close, or clear the selection'],
    ['r', 'Refresh'],
    ['R', 'Refresh the open account'],
    ['p', 'Privacy'],
    ['t', 'Theme'],
    ['Ctrl K', 'Go to or do anything'],
    ['?', 'This sheet'],
  ] as readonly (readonly [keys: string, effect: string])[],

  notUpdating: 'Not updating.',
  notUpdatingTitle: 'not updating',
  notUpdatingText: (span: string, since: string, inSpan: string) =>
    `The monitor has not answered for ${span}. These are its last numbers, from ${since}. Trying again in ${inSpan}.`,
  neverAnswered: 'The monitor does not answer.',
  tryNow: 'Try now',
  tryKey: 'Try the key now',

  search: 'Search',
  choice: (text: string, count: number) => `${text} (${count})`,
  copyName: 'Copy name',
  copyNames: (count: number) => `Copy ${count === 1 ? 'the name' : `${count} names`}`,
  copyOutcomes: { copied: 'Copied', refused: 'Not copied' },
  legend: {
    label: 'What the bars show',
    measured: 'measured',
    stale: 'stale',
    unknown: 'unknown',
    usedUp: 'used up',
  },
  none: 'none',
  question: '?',
  notReported: 'not reported',
  /** Models that an account cannot serve, because their own window is used up. */
  withoutModels: (models: string) => `not ${models}`,
  noReading: 'no reading yet',
  noTime: 'no time',
  notStarted: 'starts with first use',
  /** `window` as in `Monthly`; undefined for a window without a name. */
  onlyUncounted: (window = 'other') => `Only a ${window.toLowerCase()} window, not counted`,
  sameAccount: 'same account, not counted',
  blockedUntil: (moment: string) => `until ${moment}`,
  noEndKnown: 'no end known',
  dueEvery: (span: string) => `due every ${span}`,
  resetUnproven: 'reset?',
  sampleBeforeReset: 'before the reset',
  origins: byId<'direct' | 'headers' | 'error-body' | 'status-message'>({
    direct: 'direct',
    headers: 'headers',
    'error-body': 'usage limit',
    'status-message': 'message',
  }),
  originsLong: byId<'direct' | 'headers' | 'error-body' | 'status-message'>({
    direct: 'Direct query',
    headers: 'Headers of an answer',
    'error-body': 'Usage-limit error',
    'status-message': "The proxy's message",
  }),

  newTrouble: (titles: readonly string[], more: number) =>
    `New: ${titles.join('. ')}${more > 0 ? `, and ${more} more` : ''}.`,
  leftPool: 'This account has left the pool.',
  dismiss: 'Dismiss',
  waitsForWeek: 'waits for the week',

  details: 'Account details',
  notTracked: 'not tracked',
  tokens: 'Tokens',
  requests: 'Requests',

  ...statsWords,

  copy: 'Copy',
  doLabel: 'Do:',
  sources: 'Sources',
  recentChanges: 'Recent changes',
  allAccounts: (count: number) => `All ${count}`,
  noChanges: 'Nothing has changed yet.',
}
