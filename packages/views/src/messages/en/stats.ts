import { countedText } from '../../format/format.ts'

/** Texts of the usage figures, in the order of the stats payload. */
export const stats = {
  footnote:
    'Tokens are counted as the vendor reports them; cached input is part of the input, but for Claude, which counts it apart.',
  live: {
    recent: 'Last 15 min',
    failures: 'Failures',
    failed: (count: number) => countedText(count, 'request'),
    active: 'Active',
    accounts: (count: number) => countedText(count, 'account'),
    clients: (count: number) => countedText(count, 'client'),
    lastRequest: 'Last request',
    noneSeen: 'None seen',
  },
  counters: {
    ofProxy: 'Counters of the proxy',
    ofStatistics: 'Usage statistics of the proxy',
    ofHistory: 'Usage history',
    requests: 'Requests',
    answered: (share: string) => `${share} answered`,
    tokens: 'Tokens',
    of: 'Of',
    accounts: (count: number) => countedText(count, 'account'),
    ofEveryProvider: 'of every provider',
    proxy: 'Proxy',
    restarted: 'Restarted',
    restartKept: 'Its counters began again; what they had is kept',
  },
  history: {
    kept: 'Requests kept',
    since: (date: string) => `since ${date}`,
    keptFor: 'Kept for',
    days: (count: number) => countedText(count, 'day'),
    noEnd: 'Ever',
    dailySums: 'one by one; by the day for ever',
    store: 'Store',
    missing: 'Missing',
    notHandedOver: 'counted by the proxy, not handed over',
    coverage: 'Coverage',
    ofMonth: 'of the last 30 days',
  },
  backup: {
    note: 'The backup holds client keys: keep it as safe as the store. Exporting needs no pause; stop the service to import.',
    noStore: 'There is no store to export: set state_db to keep one. The demo keeps none.',
  },
  sources: {
    statistics: 'Usage statistics of the proxy',
    statisticsStates: { ok: 'On', off: 'Off', pending: 'Not known yet', failed: 'Not readable' },
    history: 'History',
    historyOff: { value: 'Off', detail: 'Nothing is kept' },
    historyPending: 'Not read yet',
    historyOn: (requestCount: number) => ({
      value: 'On',
      detail: countedText(requestCount, 'request'),
    }),
    benchmark: 'Benchmark summary',
    benchmarkRead: 'Read',
    faster: (ratio: number) => `${ratio} × as fast`,
  },
}
