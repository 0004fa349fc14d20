import { instantToIso, type Snapshot } from '@svc/core'
import {
  coveragePercentOf,
  LIVE_WINDOW_SECONDS,
  type UsageReading,
  type UsageSummary,
} from '@svc/core/usage'
import * as v from 'valibot'
import { capitalised, compactText, countedText, countText } from '../format/format.ts'
import { benchmarkText } from '../messages/benchmark-text.ts'
import { failureRateText, noUsage, totalTexts, usageLine } from '../messages/usage-text.ts'
import type { UsageContext } from './view-context.ts'
import { countSchema, instantSchema, percentSchema } from './wire-schema.ts'

export const metricItemSchema = v.pipe(
  v.object({ label: v.string(), value: v.string(), detail: v.optional(v.string()) }),
  v.description('One figure as a person reads it.'),
)

const itemsSchema = v.array(metricItemSchema)

/** Answer of `/api/v1/stats`. */
export const statsTabSchema = v.pipe(
  v.object({
    title: v.string(),
    summary: v.string(),
    live: v.pipe(
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
      v.description('Recent activity, from timestamped usage details alone.'),
    ),
    cumulative: v.pipe(
      v.object({
        available: v.boolean(),
        requests: v.nullable(countSchema),
        success: v.nullable(countSchema),
        failed: v.nullable(countSchema),
        tokens: v.nullable(countSchema),
        successRateText: v.string(),
        since: v.nullable(instantSchema),
        source: v.pipe(v.nullable(v.string()), v.description('Where the counters come from.')),
        items: itemsSchema,
      }),
      v.description('Latest cumulative counters.'),
    ),
    history: v.pipe(
      v.object({
        enabled: v.boolean(),
        available: v.boolean(),
        rows: countSchema,
        earliest: v.nullable(instantSchema),
        latest: v.nullable(instantSchema),
        databaseBytes: v.nullable(countSchema),
        retentionDays: v.nullable(countSchema),
        lastWriteAt: v.nullable(instantSchema),
        duplicates: countSchema,
        missing: v.pipe(
          countSchema,
          v.description('Requests the proxy has counted and did not hand to this monitor.'),
        ),
        coveragePercent: v.pipe(
          v.nullable(percentSchema),
          v.description('Of the last 30 days, without what was missed.'),
        ),
        items: itemsSchema,
      }),
      v.description('The stored history.'),
    ),
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

function liveView(
  usage: UsageSummary | null,
  { evaluatedAt }: Snapshot,
  text: UsageContext['text'],
): StatsTab['live'] {
  const live = usage?.live ?? { ...noUsage, lastEventAt: null, accounts: [], activeClients: 0 }
  const { requests, tokens, failed, lastEventAt, accounts, activeClients } = live
  const activeAccounts = accounts.length
  const minutes = LIVE_WINDOW_SECONDS / 60
  const texts = totalTexts(live)
  return {
    available: usage !== null && lastEventAt !== null,
    windowSeconds: LIVE_WINDOW_SECONDS,
    requests,
    tokens,
    failed,
    requestsPerMinute: tenths(requests / minutes),
    tokensPerMinute: tenths(tokens / minutes),
    failureRateText: failureRateText(live),
    lastEventAt: lastEventAt === null ? null : instantToIso(lastEventAt),
    activeAccounts,
    activeClients,
    items:
      usage === null
        ? []
        : [
            { label: 'Last 15 min', value: texts.requestText, detail: texts.tokenText },
            {
              label: 'Failures',
              value: texts.failureRateText,
              detail: countedText(failed, 'request'),
            },
            {
              label: 'Active',
              value: countedText(activeAccounts, 'account'),
              detail: countedText(activeClients, 'client'),
            },
            {
              label: 'Last request',
              value:
                lastEventAt === null
                  ? 'None seen'
                  : capitalised(text.justNowText(lastEventAt, evaluatedAt)),
            },
          ],
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

/** The proxy's own counters where it has some, else the sums of the history. */
function cumulativeView(
  { requestCounters, accounts, otherProviders }: Snapshot,
  usage: UsageSummary | null,
): StatsTab['cumulative'] {
  if (requestCounters !== null) {
    const { success, failed, tokens, restartedAt } = requestCounters
    const listedCount = [...otherProviders.values()].reduce(
      (sum, count) => sum + count,
      accounts.length,
    )
    return {
      ...countersView({ success, failed, tokens }),
      since: restartedAt === null ? null : instantToIso(restartedAt),
      source: tokens === null ? 'Counters of the proxy' : 'Usage statistics of the proxy',
      items: [
        ...counterItems({ success, failed }),
        tokens === null
          ? { label: 'Of', value: countedText(listedCount, 'account'), detail: 'of every provider' }
          : { label: 'Tokens', value: compactText(tokens) },
        ...(restartedAt === null
          ? []
          : [
              {
                label: 'Proxy',
                value: 'Restarted',
                detail: 'Its counters began again; what they had is kept',
              },
            ]),
      ],
    }
  }
  if (usage === null) {
    return {
      available: false,
      requests: null,
      success: null,
      failed: null,
      tokens: null,
      successRateText: '–',
      since: null,
      source: null,
      items: [],
    }
  }
  const { totals, earliest } = usage.history
  const counted = { success: totals.requests - totals.failed, failed: totals.failed }
  return {
    ...countersView({ ...counted, tokens: totals.tokens }),
    since: earliest === null ? null : instantToIso(earliest),
    source: 'Usage history',
    items: [...counterItems(counted), { label: 'Tokens', value: compactText(totals.tokens) }],
  }
}

interface Counters {
  readonly success: number
  readonly failed: number
}

function countersView({ success, failed, tokens }: Counters & { readonly tokens: number | null }) {
  return {
    available: true,
    requests: success + failed,
    success,
    failed,
    tokens,
    successRateText: successRateText({ success, failed }),
  }
}

function counterItems(counters: Counters): StatsTab['cumulative']['items'] {
  const requests = counters.success + counters.failed
  return [
    {
      label: 'Requests',
      value: countText(requests),
      detail: `${successRateText(counters)} answered`,
    },
  ]
}

function successRateText({ success, failed }: Counters): string {
  return success + failed === 0 ? '–' : `${((100 * success) / (success + failed)).toFixed(1)}%`
}

function historyView(
  usage: UsageSummary | null,
  { enabled, text }: { readonly enabled: boolean; readonly text: UsageContext['text'] },
): StatsTab['history'] {
  if (usage === null) {
    return {
      enabled,
      available: false,
      rows: 0,
      earliest: null,
      latest: null,
      databaseBytes: null,
      retentionDays: null,
      lastWriteAt: null,
      duplicates: 0,
      missing: 0,
      coveragePercent: null,
      items: [],
    }
  }
  const {
    totals,
    earliest,
    latest,
    databaseBytes,
    retentionDays,
    lastWriteAt,
    duplicates,
    missing,
  } = usage.history
  const coverage = coveragePercentOf(usage.history)
  const coveragePercent = coverage === null ? null : Math.floor(coverage * 100) / 100
  return {
    enabled,
    available: earliest !== null,
    rows: totals.requests,
    earliest: earliest === null ? null : instantToIso(earliest),
    latest: latest === null ? null : instantToIso(latest),
    databaseBytes,
    retentionDays,
    lastWriteAt: lastWriteAt === null ? null : instantToIso(lastWriteAt),
    duplicates,
    missing,
    coveragePercent,
    items: [
      {
        label: 'Requests kept',
        value: countText(totals.requests),
        ...(earliest === null ? {} : { detail: `since ${text.dateText(earliest)}` }),
      },
      {
        label: 'Kept for',
        value: retentionDays === null ? 'Ever' : countedText(retentionDays, 'day'),
        detail: 'one by one; by the day for ever',
      },
      ...(databaseBytes === null
        ? []
        : [{ label: 'Store', value: `${compactText(databaseBytes)}B` }]),
      ...(missing === 0
        ? []
        : [
            {
              label: 'Missing',
              value: countText(missing),
              detail: 'counted by the proxy, not handed over',
            },
          ]),
      ...(coveragePercent === null
        ? []
        : [
            {
              label: 'Coverage',
              value: `${coveragePercent.toFixed(2)}%`,
              detail: 'of the last 30 days',
            },
          ]),
    ],
  }
}

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

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}
