import type { UsageGroup, UsageMetric, UsageMode, UsageRangeId } from '@svc/core/usage'

/** Names of ranges on a control. */
const ranges: Readonly<Record<UsageRangeId, string>> = {
  '1h': 'Last hour',
  '6h': 'Last 6 h',
  '24h': 'Last 24 h',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  all: 'Everything',
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
}
const modes: Readonly<Record<UsageMode, string>> = { bucket: 'Per bucket', rate: 'Per minute' }

/** Usage in a phrase, of one range. */
interface UsagePhrase {
  readonly requests: string
  readonly tokens: string
  readonly range: UsageRangeId
}

/** Words for usage and for the controls of its charts. */
export const usage = {
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
