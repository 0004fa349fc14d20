import type { ScoreComponents } from '@svc/core/account'
import { byId } from './by-id.ts'

/** Words for the details of an account. */
export const accountWords = {
  rankOf: (rank: number, routable: number) => `${ordinal(rank)} of ${routable} routable`,
  noScore: (isDisabled: boolean) => `No score while ${isDisabled ? 'disabled' : 'blocked'}`,
  why: 'Why this score',
  whyBlocked: 'Why it is blocked',
  components: byId<keyof ScoreComponents>({
    capacity: 'Capacity',
    health: 'Health',
    plan: 'Plan',
    load: 'Load',
    reclaim: 'Expires',
  }),
  /** Reasons why a component gives no points. */
  noPoints: byId<'plan' | 'load' | 'unread' | 'reclaim'>({
    plan: 'Its plan is not tracked',
    load: 'Its window runs already',
    unread: 'Its window has not been read',
    reclaim: 'Nothing of it expires within the hour',
  }),
  componentHeads: ['Component', 'Bar', 'Points', 'Reason'] as readonly [
    string,
    string,
    string,
    string,
  ],
  sum: 'Sum',
  windowsTitle: 'Windows',
  otherLimits: 'Other limits',
  resetsAt: (moment: string, span: string) => `Resets ${moment}, in ${span}`,
  resetUnconfirmed: 'Its reset has passed, which no reading has confirmed yet.',
  /** `weight` with its unit. */
  unitsOf: (units: string, weight: string) => `${units} of ${weight}.`,
  /** Explanations of notes on a window, by code. */
  notes: byId<'derived' | 'sources_disagree'>({
    derived: 'The vendor leaves out a use of zero: full, as far as no request denies it.',
    sources_disagree: 'Two figures of the vendor differ; the larger use counts.',
  }),
  unreported: 'The vendor reports no such quota of this account.',
  blockedModels: 'Models it cannot serve now',
  subscription: 'Subscription',
  /** `when` as in `on 30 Nov 09:00`; `span` is the time until then, or since then. */
  paid: {
    running: paidUntil,
    ends_soon: paidUntil,
    last_day: paidUntil,
    ended: (when: string, span: string) => `Ended ${when}, ${span} ago`,
    renewed: (when: string, _span: string) => `Ended ${when} and goes on; its new end is unknown`,
  },
  asOfLogin: 'So its login says; a renewal shows at the next login.',
  asOfLoginAt: (span: string) =>
    `So its login of ${span} ago says; a renewal shows at the next login.`,
  lastDay: 'Last 24 h',
  tokensShare: (tokens: string, share: string) => `${tokens} (${share} of the pool)`,
  /** `failed` is null if none failed. */
  requestsFailed: (requests: string, failed: string | null) =>
    failed === null ? `${requests}, none failed` : `${requests}, ${failed} failed`,
  forScripts: 'For scripts',
  /** `name` is spelled as in scripts, for example `authName`. */
  copyNamed: (name: string) => `Copy ${name}`,
  diagnosticProbe: 'Diagnostic probe',
  probeStates: {
    unknown: 'Not probed yet.',
    ok: 'OK, would work if enabled',
    exhausted: 'Login works, quota used up',
    auth_invalid: 'Login refused',
    error: 'The query failed',
  },
  probeResult: 'Result',
  probeAt: 'Probed',
  probeHttp: 'HTTP',

  courseTitle: 'How it went',
  courseNoStore:
    'Nothing is recorded. Set `state_db = "history.db"` in the configuration, or start with `--state-db <path>`.',
  courseEmpty: (window: string) => `${window}: nothing recorded in this range.`,
  courseLabel: (window: string, range: string) => `${window} quota over ${range}`,
  courseReset: 'Reset',
  courseUnexpectedReset: 'Unannounced reset',
  courseUnproven: 'after its reset, unconfirmed',
  courseTable: (points: number, resets: number) =>
    `${points} reading${points === 1 ? '' : 's'}, ${resets} reset${resets === 1 ? '' : 's'}`,
  courseHeads: ['Time', 'What', 'Detail'] as readonly [string, string, string],
}

function paidUntil(when: string, span: string): string {
  return `Ends ${when}, in ${span}`
}

function ordinal(rank: number): string {
  if (rank === 1) return 'first'
  if (rank === 2) return 'second'
  return rank === 3 ? 'third' : `${rank}th`
}
