import type { Snapshot } from '@svc/core'
import { LIVE_WINDOW_SECONDS, type UsageReading, type UsageSummary } from '@svc/core/usage'
import * as v from 'valibot'
import { capitalised } from '../format/format.ts'
import type { Catalogue } from '../messages/en/catalogue.ts'
import { failureRateText, noUsage, totalTexts, usageLine } from '../messages/usage-text.ts'
import { cumulativeSchema, cumulativeView, historySchema, historyView } from './stats-history.ts'
import type { UsageContext } from './view-context.ts'
import { countSchema, described, instantSchema, isoOrNull, itemsSchema } from './wire-schema.ts'

/** Usage of the last 15 minutes. */
const liveSchema = described(
  v.object({
    available: v.boolean(),
    windowSeconds: countSchema,
    requests: countSchema,
    tokens: countSchema,
    failed: countSchema,
    requestsPerMinute: v.number(),
    tokensPerMinute: v.number(),
    failureRateText: v.string(),
    lastEventAt: v.nullable(instantSchema),
    activeAccounts: countSchema,
    activeClients: countSchema,
    items: itemsSchema,
  }),
  'Usage in the last 15 minutes, from recorded requests only.',
)

/** Live part of the stats; zeros without a usage history. */
function liveView(
  usage: UsageSummary | null,
  { evaluatedAt }: Snapshot,
  text: UsageContext['text'],
): v.InferOutput<typeof liveSchema> {
  const live = usage?.live ?? { ...noUsage, lastEventAt: null, accounts: [], activeClients: 0 }
  const { requests, tokens, failed, lastEventAt, accounts, activeClients } = live
  const activeAccounts = accounts.length
  const minutes = LIVE_WINDOW_SECONDS / 60
  const texts = totalTexts(live, text.words)
  const labels = text.words.stats.live
  return {
    available: usage !== null && lastEventAt !== null,
    windowSeconds: LIVE_WINDOW_SECONDS,
    requests,
    tokens,
    failed,
    requestsPerMinute: tenths(requests / minutes),
    tokensPerMinute: tenths(tokens / minutes),
    failureRateText: failureRateText(live),
    lastEventAt: isoOrNull(lastEventAt),
    activeAccounts,
    activeClients,
    items:
      usage === null
        ? []
        : [
            { label: labels.recent, value: texts.requestText, detail: texts.tokenText },
            {
              label: labels.failures,
              value: texts.failureRateText,
              detail: labels.failed(failed),
            },
            {
              label: labels.active,
              value: labels.accounts(activeAccounts),
              detail: labels.clients(activeClients),
            },
            {
              label: labels.lastRequest,
              value:
                lastEventAt === null
                  ? labels.noneSeen
                  : capitalised(text.justNowText(lastEventAt, evaluatedAt)),
            },
          ],
  }
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}

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

/** Backup commands with a placeholder for the store, so that its path is not published. `leases` exist only for a database store. */
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
