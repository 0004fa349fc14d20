import type { Snapshot } from '@svc/core'
import type { UsageReading, UsageSummary } from '@svc/core/usage'
import * as v from 'valibot'
import { countedText } from '../format/format.ts'
import { benchmarkText } from '../messages/en/benchmark-text.ts'
import { usageLine } from '../messages/usage-text.ts'
import { itemsSchema } from './metric-item.ts'
import { cumulativeSchema, cumulativeView } from './stats-cumulative.ts'
import { historySchema, historyView } from './stats-history.ts'
import { liveSchema, liveView } from './stats-live.ts'
import type { UsageContext } from './view-context.ts'
import { countSchema } from './wire-schema.ts'

/** Answer of `/api/v1/stats`. */
export const statsTabSchema = v.pipe(
  v.object({
    title: v.string(),
    summary: v.string(),
    live: liveSchema,
    cumulative: cumulativeSchema,
    history: historySchema,
    backup: v.pipe(
      v.object({
        available: v.boolean(),
        formatVersion: countSchema,
        exportCommand: v.string(),
        importCommand: v.string(),
        note: v.string(),
      }),
      v.description('How to take the history along.'),
    ),
    sources: v.pipe(itemsSchema, v.description('Where usage comes from.')),
    footnote: v.optional(v.string()),
  }),
  v.description('Usage at a glance.'),
)

/** Answer of `/api/v1/stats`. */
export type StatsTab = v.InferOutput<typeof statsTabSchema>

/** The answer of `/api/v1/stats`. */
export function statsView(snapshot: Snapshot, context: UsageContext): StatsTab {
  const { usage: reading, text } = context
  const usage = reading.kind === 'read' ? reading.summary : null
  return {
    title: 'Usage',
    summary: usage === null ? 'No usage history' : usageLine(usage.lastDay, '24h'),
    live: liveView(usage, snapshot, text),
    cumulative: cumulativeView(snapshot, usage),
    history: historyView(usage, { enabled: reading.kind !== 'off', text }),
    backup: backupView(usage),
    sources: sourcesView(snapshot, reading, text),
    footnote: 'Tokens are counted as the vendor reports them; cached input is part of the input.',
  }
}

/** Nothing of the store's own path: the commands name it by a placeholder. */
function backupView(usage: UsageSummary | null): StatsTab['backup'] {
  const available = usage !== null && usage.history.databaseBytes !== null
  return {
    available,
    formatVersion: BACKUP_FORMAT_VERSION,
    exportCommand: 'svc-quota-monitor export-history --state-db <path> --output <file>',
    importCommand: 'svc-quota-monitor import-history --state-db <path> <file>',
    note: available
      ? 'The backup holds client keys: keep it as safe as the store. Exporting needs no pause; stop the service to import.'
      : 'There is no store to export: set state_db to keep one. The demo keeps none.',
  }
}

const BACKUP_FORMAT_VERSION = 1

function sourcesView(
  { health, benchmark }: Snapshot,
  usage: UsageReading,
  text: UsageContext['text'],
): StatsTab['sources'] {
  const statistics = health.sources.find(({ id }) => id === 'usage_statistics')
  return [
    {
      label: 'Usage statistics of the proxy',
      value: STATISTICS_WORDS[statistics?.outcome.kind ?? 'pending'],
    },
    { label: 'History', ...historyWords(usage) },
    ...(benchmark === null
      ? []
      : [
          {
            label: 'Benchmark summary',
            value:
              benchmark.speedup === null
                ? 'Read'
                : `${Number(benchmark.speedup.toPrecision(3))} × as fast`,
            detail: benchmarkText(benchmark, text),
          },
        ]),
  ]
}

function historyWords(usage: UsageReading): { readonly value: string; readonly detail?: string } {
  switch (usage.kind) {
    case 'off':
      return { value: 'Off', detail: 'Nothing is kept' }
    case 'pending':
      return { value: 'Not read yet' }
    case 'read':
      return { value: 'On', detail: countedText(usage.summary.history.totals.requests, 'request') }
    default:
      return usage satisfies never
  }
}

const STATISTICS_WORDS = {
  ok: 'On',
  off: 'Off',
  pending: 'Not known yet',
  failed: 'Not readable',
} as const
