import type { SourceId } from '@svc/core/service'

/** A source in the middle of a sentence. */
export function sourceName(id: SourceId): string {
  return sourceNames[id]
}

const sourceNames: Readonly<Record<SourceId, string>> = {
  gateway: 'gateway',
  accounts: 'account list',
  direct_quota: 'direct quota',
  usage_statistics: 'usage statistics',
  usage: 'usage records',
  history: 'history store',
  client_labels: 'client labels',
  benchmark: 'benchmark summary',
}
