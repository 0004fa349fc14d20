import type { Snapshot } from '@svc/core'
import type { UsageReading, UsageSummary } from '@svc/core/usage'
import * as v from 'valibot'
import type { Catalogue } from '../messages/en/catalogue.ts'
import { usageLine } from '../messages/usage-text.ts'
import { itemsSchema } from './metric-item.ts'
import { cumulativeSchema, cumulativeView } from './stats-cumulative.ts'
import { historySchema, historyView } from './stats-history.ts'
import { liveSchema, liveView } from './stats-live.ts'
import type { UsageContext } from './view-context.ts'
import { countSchema, described } from './wire-schema.ts'

/** Answer of `/api/v1/stats`. */
export const statsTabSchema = described(
  v.object({
    title: v.string(),
    summary: v.string(),
    live: liveSchema,
    cumulative: cumulativeSchema,
    history: historySchema,
    backup: described(
      v.object({
        available: v.boolean(),
        formatVersion: countSchema,
        exportCommand: v.string(),
        importCommand: v.string(),
        note: v.string(),
      }),
      'Instructions to back up the history.',
    ),
    sources: described(itemsSchema, 'Sources of the usage data.'),
    footnote: v.optional(v.string()),
  }),
  'Usage at a glance.',
)

/** Answer of `/api/v1/stats`. */
export type StatsTab = v.InferOutput<typeof statsTabSchema>

/** The answer of `/api/v1/stats`. */
export function statsView(snapshot: Snapshot, context: UsageContext): StatsTab {
  const { usage: reading, text } = context
  const usage = reading.kind === 'read' ? reading.summary : null
  const { words } = text
  return {
    title: words.usage.title,
    summary: usage === null ? words.usage.noHistory : usageLine(usage.lastDay, '24h', words),
    live: liveView(usage, snapshot, text),
    cumulative: cumulativeView(snapshot, usage, words),
    history: historyView(usage, { enabled: reading.kind !== 'off', text }),
    backup: backupView(usage, snapshot, words),
    sources: sourcesView(snapshot, reading, text),
    footnote: words.stats.footnote,
  }
}

/** Commands for a backup. They use a placeholder for the store, so that its path is not published. Leases exist only if the store is a database. */
function backupView(
  usage: UsageSummary | null,
  { leases }: Pick<Snapshot, 'leases'>,
  { stats: { backup } }: Catalogue,
): StatsTab['backup'] {
  const available = usage !== null && usage.history.databaseBytes !== null
  const place = leases === undefined ? '<path>' : 'postgres://<host>/<database>'
  return {
    available,
    formatVersion: BACKUP_FORMAT_VERSION,
    exportCommand: `svc-quota-monitor export-history --state-db ${place} --output <file>`,
    importCommand: `svc-quota-monitor import-history --state-db ${place} <file>`,
    note: available ? backup.note : backup.noStore,
  }
}

const BACKUP_FORMAT_VERSION = 1

function sourcesView(
  { health, benchmark }: Snapshot,
  usage: UsageReading,
  text: UsageContext['text'],
): StatsTab['sources'] {
  const labels = text.words.stats.sources
  const statistics = health.sources.find(({ id }) => id === 'usage_statistics')
  return [
    {
      label: labels.statistics,
      value: labels.statisticsStates[statistics?.outcome.kind ?? 'pending'],
    },
    { label: labels.history, ...historyWords(usage, labels) },
    ...(benchmark === null
      ? []
      : [
          {
            label: labels.benchmark,
            value:
              benchmark.speedup === null
                ? labels.benchmarkRead
                : labels.faster(Number(benchmark.speedup.toPrecision(3))),
            detail: text.words.benchmarkText(benchmark, text),
          },
        ]),
  ]
}

function historyWords(
  usage: UsageReading,
  labels: Catalogue['stats']['sources'],
): { readonly value: string; readonly detail?: string } {
  switch (usage.kind) {
    case 'off':
      return labels.historyOff
    case 'pending':
      return { value: labels.historyPending }
    case 'read':
      return labels.historyOn(usage.summary.history.totals.requests)
    default:
      return usage satisfies never
  }
}
