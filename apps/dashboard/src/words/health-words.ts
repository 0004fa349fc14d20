import { byId } from './by-id.ts'

/** Texts of Health: its link to the proxy, its thirty days, and the ways to be told of trouble. */
export const healthWords = {
  proxyPage: (name: string) =>
    name === '' ? 'Open the page of the proxy' : `Open the page of ${name}`,
  days: 'The pool over thirty days',
  daysAbout: 'The worst of every quarter of an hour, by what was recorded.',
  heads: ['Day', 'Course', 'Not good'],
  states: byId<'good' | 'low' | 'dry' | 'away' | 'unknown'>({
    good: 'Good',
    low: 'Low, below 10%',
    dry: 'Dry',
    away: 'Proxy away',
    unknown: 'Not known',
  }),
  /** The states in a list of a day's events. */
  happened: byId<'low' | 'dry' | 'away' | 'unknown' | 'good'>({
    good: 'good',
    low: 'low',
    dry: 'dry',
    away: 'proxy away',
    unknown: 'not known',
  }),
  between: (what: string, from: string, to: string) => `${what} ${from}–${to}`,
  lasting: (what: string, span: string) => `${what} ${span}`,
  awaySince: (moment: string) =>
    `Whether the proxy was away is known since ${moment}; earlier changes are not kept.`,
  noDays: 'Nothing has been recorded yet.',
  noStore: 'Without `state_db` nothing is recorded.',
  notRead: 'The history cannot be read now.',
  readers: 'Readers of the ranking',
  askedAgo: (span: string) => `Last asked ${span} ago`,
  routing:
    'A plugin lets the proxy (7.1.57 and newer) choose the account of every request by this ranking, without a change at any client. It is in `integrations/cliproxyapi-scheduler`; `docs/operating.md` says how to install it, and what happens when either side is away. This prints the lines for the configuration of the proxy:',
  told: 'How do I get told?',
  messages: 'Messages',
  sent: (count: string) => `${count} sent`,
  ways: {
    messages: {
      title: 'Messages to a phone or a chat',
      what: 'A `[[notify]]` table of the configuration names a receiver: ntfy, Telegram, Discord, Slack, Feishu, Bark or a webhook. This sends a test to each:',
    },
    tab: {
      title: 'This tab',
      what: 'Keep it open: its title begins with the answer, then ⚠ while there is something to do, and its icon changes shape, also while another tab is in front.',
    },
    wall: {
      title: 'A screen on the wall',
      what: 'Shows what is left and what needs you, as large as fits, and keeps the screen awake. Esc or Back ends it.',
    },
    alerts: {
      title: 'Prometheus and Alertmanager',
      what: 'For those who run them already. This writes the scrape configuration, the alert rules and a route to whom they go:',
    },
    scripts: {
      title: 'A script or a timer',
      what: '`state` of `/api/v1/health` is `good`, `warn`, `bad` or `unknown`, with what to do in `actions`. `doctor` ends with 1 if a check fails, else with 0:',
    },
  },
  showWall: 'Show it here',
}

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
