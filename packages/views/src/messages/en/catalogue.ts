import { planLabel, type Tone } from '@svc/core'
import type { UnpricedReason } from '@svc/core/money'
import type { SourceId } from '@svc/core/service'
import type { UsageGroup, UsageMetric, UsageMode, UsageRangeId } from '@svc/core/usage'
import { countedText } from '../../format/format.ts'
import type { ActionTextsByCode } from '../conditions/conditions.ts'
import type { SourceNames } from '../names/names.ts'
import { answer } from './answer.ts'
import { changes } from './changes.ts'
import { actionConditions } from './health-actions.ts'
import { countedAccountsText, windowLabel } from './names.ts'
import { notices, notifyConditions } from './notices.ts'
import { calendar, picks, pool } from './pool.ts'
import { sourceConditions } from './source-failures.ts'
import { benchmarkText, schedulers, sourceRows, sources } from './sources.ts'
import { failureCodes, stats } from './stats.ts'
import { scoreReasons, statuses } from './statuses.ts'
import { unitNames, unitNoun } from './unit-name.ts'

const states: Readonly<Record<Tone, string>> = {
  good: 'Good',
  warn: 'Warn',
  bad: 'Bad',
  unknown: 'Unknown',
}

/** Headings of the health payload, and a one-line summary of its state. */
const health = {
  title: 'Health',
  actions: 'Needs you',
  sources: 'Sources',
  recentChanges: 'Recent changes',
  worst: (title: string, moreCount: number) =>
    moreCount === 0 ? `${title}.` : `${title}, and ${moreCount} more.`,
  nothingToDo: 'Nothing to do.',
  waiting: 'Waiting for the first reading.',
  sourceTrouble: 'Nothing to do yet, but a source has trouble.',
  actionCount: (count: number) => countedText(count, 'action'),
  states,
  times: ({ count, since }: { readonly count: number; readonly since: string }) =>
    `${count} times since ${since}`,
}

/** Reasons why a refresh skipped accounts, and why the probe of a disabled account failed. */
const queries = {
  refreshFailures: {
    quota_off: 'Direct quota queries are off: set quota_transport.',
    deadline: 'It took too long.',
    cancelled: 'It was cancelled.',
    no_direct_quota: 'The quota of this account cannot be queried.',
    vendor_asks_to_wait: 'The vendor wants no query about this account yet.',
    asked_lately: 'The vendor was asked about this account less than a minute ago.',
  },
  /** `until` is null if the wait lasts until a restart or a reload. */
  askedLately: (until: string | null) =>
    until === null
      ? 'The vendor is not asked before a restart or a reload.'
      : `The vendor is not asked before ${until}.`,
  disabledProbe: {
    auth_invalid: 'The vendor refused the login.',
    error: 'The query failed.',
  },
}

/** Source and age of the readings. Times are worded for the middle of a sentence. */
export const snapshotSource = {
  live: ({ accounts, readAt }: { readonly accounts: string; readonly readAt: string | null }) =>
    `Live: ${accounts}${readAt === null ? '' : `, read ${readAt}`}`,
  partial: (failedSources: readonly string[]) =>
    `Partly live: ${failedSources.length === 0 ? 'some sources are not read' : `${failedSources.join(', ')} failed`}`,
  stale: (answeredAt: string | null) =>
    answeredAt === null
      ? 'Old account list'
      : `Old account list: the proxy last answered ${answeredAt}`,
  unavailable: (missing: string) => `No data yet: ${missing}`,
  demo: (accountCount: number) => `Demo: ${countedText(accountCount, 'sample account')}`,
  /** Inputs that may be missing for the first reading. */
  missing: {
    anything: 'waiting for the first reading',
    key: 'no management key',
    keyFile: 'the management key file cannot be used',
    keyAccepted: 'the proxy refused the management key',
    access: 'the proxy refuses management from this address',
    banEnd: (until: string) => `the proxy bans this address until ${until}`,
  },
}

const ranges: Readonly<Record<UsageRangeId | 'custom', string>> = {
  '1h': 'Last hour',
  '6h': 'Last 6 h',
  '24h': 'Last 24 h',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  all: 'Everything',
  custom: 'Chosen time',
}
const groups: Readonly<Record<UsageGroup, string>> = {
  total: 'Total',
  account: 'Account',
  client: 'Client',
  model: 'Model',
  api: 'API name',
  provider: 'Provider',
  upstream: 'Proxy',
}
const metrics: Readonly<Record<UsageMetric, string>> = {
  tokens: 'Tokens',
  requests: 'Requests',
  failed: 'Failed requests',
  input: 'Input tokens',
  cached: 'Cached tokens',
  output: 'Output tokens',
  cache_share: 'Cached share of the input',
  latency_p50: 'Latency, median',
  latency_p95: 'Latency, 95th percentile',
  first_token_p50: 'First token, median',
  first_token_p95: 'First token, 95th percentile',
  failed_auth: 'Failed with 401 or 403',
  failed_limit: 'Failed with 429',
  failed_vendor: 'Failed with 500 to 599',
  cost: 'Cost at the list price of the API',
}
const modes: Readonly<Record<UsageMode, string>> = { bucket: 'Per bucket', rate: 'Per minute' }

interface UsagePhrase {
  readonly requests: string
  readonly tokens: string
  readonly range: UsageRangeId | 'custom'
}

const usage = {
  title: 'Usage',
  noData: 'No usage data',
  noHistory: 'No usage history',
  requests: (count: string) => `${count} req`,
  tokens: (count: string) => `${count} tok`,
  perMinute: (rate: string) => `${rate}/min`,
  line: ({ requests, tokens, range }: UsagePhrase) =>
    `${requests} · ${tokens} in ${range === 'all' ? 'all' : `the ${ranges[range].toLowerCase()}`}`,
  by: (group: UsageGroup) =>
    `By ${groups[group].replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`,
  ranges,
  groups,
  metrics,
  modes,
}

/** Why tokens have no price. */
const unpriced: Readonly<Record<UnpricedReason, string>> = {
  classes: 'The records do not tell input, cache and output apart.',
  model: 'Neither the price file nor an own rate has this model.',
  tier: 'There are no rates of the service tier.',
  band: 'The entry of the price file was refused: its rates change at another size of the input.',
  zero: 'The entry of the price file was refused: it states zero.',
  rate: 'The entry of the price file was refused: it states a rate that is none.',
}

const actions: ActionTextsByCode = actionConditions
const sourceNames: Readonly<Record<SourceId, SourceNames>> = sourceRows

export const english = {
  actions,
  answer,
  benchmarkText,
  calendar,
  changes,
  countedAccountsText,
  failureCodes,
  health,
  notices,
  notifyConditions,
  picks,
  planName: planLabel,
  pool,
  queries,
  schedulers,
  scoreReasons,
  snapshotSource,
  sourceConditions,
  sourceRows: sourceNames,
  sources,
  stats,
  statuses,
  unitNames,
  unitNoun,
  unpriced,
  usage,
  windowLabel,
}

/** All texts that a language must provide; a missing one is a compile error. */
export type Catalogue = typeof english
