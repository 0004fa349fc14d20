import { NOW } from '@svc/core/testing'
import type { UsageSummary } from '@svc/core/usage'
import { catalogueOf } from '@svc/views'

const measures = { requests: 0, tokens: 0, failed: 0 }

/** The choices that an answer names. */
export const seriesOptions = {
  metric: Object.entries(catalogueOf('en').usage.metrics).map(([id, label]) => ({ id, label })),
}

/** A history without any usage. */
export function aUsageHistory(): UsageSummary {
  return {
    live: { ...measures, lastEventAt: null, accounts: [], activeClients: 0 },
    lastDay: { ...measures, accounts: [], models: [] },
    history: {
      totals: measures,
      earliest: NOW,
      latest: NOW,
      databaseBytes: 4_096,
      retentionDays: 90,
      lastWriteAt: null,
      duplicates: 0,
      missing: 0,
      observedSeconds: 0,
      gapSeconds: 0,
    },
  }
}
