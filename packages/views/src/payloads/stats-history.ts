import type { Snapshot } from '@svc/core'
import { allAccountsOf } from '@svc/core/pool'
import { coveragePercentOf, type UsageSummary } from '@svc/core/usage'
import * as v from 'valibot'
import { bytesText, compactText, countText } from '../format/format.ts'
import type { Catalogue } from '../messages/en/catalogue.ts'
import type { UsageContext } from './view-context.ts'
import {
  countSchema,
  described,
  instantSchema,
  isoOrNull,
  itemsSchema,
  percentSchema,
} from './wire-schema.ts'

export const historySchema = described(
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
    missing: described(
      countSchema,
      'Number of requests that the proxy counted but did not deliver to this monitor.',
    ),
    coveragePercent: described(
      v.nullable(percentSchema),
      'Percent of the time since the first poll, at most 30 days back, in which no usage was missed; null before the first poll.',
    ),
    items: itemsSchema,
  }),
  'Stored usage history.',
)

type History = v.InferOutput<typeof historySchema>

/** History part of the stats; zeros and nulls without a usage history. */
export function historyView(
  usage: UsageSummary | null,
  { enabled, text }: { readonly enabled: boolean; readonly text: UsageContext['text'] },
): History {
  const history = usage?.history
  const coverage = history === undefined ? null : coveragePercentOf(history)
  const coveragePercent = coverage === null ? null : Math.floor(coverage * 100) / 100
  const earliest = isoOrNull(history?.earliest ?? null)
  return {
    enabled,
    available: earliest !== null,
    rows: history?.totals.requests ?? 0,
    earliest,
    latest: isoOrNull(history?.latest ?? null),
    databaseBytes: history?.databaseBytes ?? null,
    retentionDays: history?.retentionDays ?? null,
    lastWriteAt: isoOrNull(history?.lastWriteAt ?? null),
    duplicates: history?.duplicates ?? 0,
    missing: history?.missing ?? 0,
    coveragePercent,
    items: history === undefined ? [] : historyItems(history, coveragePercent, text),
  }
}

function historyItems(
  { totals, earliest, retentionDays, databaseBytes, missing }: UsageSummary['history'],
  coveragePercent: number | null,
  text: UsageContext['text'],
): History['items'] {
  const labels = text.words.stats.history
  return [
    {
      label: labels.kept,
      value: countText(totals.requests),
      ...(earliest === null ? {} : { detail: labels.since(text.dateText(earliest)) }),
    },
    {
      label: labels.keptFor,
      value: retentionDays === null ? labels.noEnd : labels.days(retentionDays),
      detail: labels.dailySums,
    },
    ...(databaseBytes === null ? [] : [{ label: labels.store, value: bytesText(databaseBytes) }]),
    ...(missing === 0
      ? []
      : [{ label: labels.missing, value: countText(missing), detail: labels.notHandedOver }]),
    ...(coveragePercent === null
      ? []
      : [
          {
            label: labels.coverage,
            value: `${coveragePercent.toFixed(2)}%`,
            detail: labels.ofMonth,
          },
        ]),
  ]
}

export const cumulativeSchema = described(
  v.object({
    available: v.boolean(),
    requests: v.nullable(countSchema),
    success: v.nullable(countSchema),
    failed: v.nullable(countSchema),
    tokens: v.nullable(countSchema),
    successRateText: v.string(),
    since: v.nullable(instantSchema),
    source: described(
      v.nullable(v.string()),
      'Origin of the counters, as text; null if there are none.',
    ),
    items: itemsSchema,
  }),
  'Totals as the proxy counts them, or of the stored history if the proxy has no counters.',
)

type Cumulative = v.InferOutput<typeof cumulativeSchema>

/** The proxy's own counters, or the sums of the history if it has none. */
export function cumulativeView(
  snapshot: Snapshot,
  usage: UsageSummary | null,
  { stats: { counters: labels } }: Catalogue,
): Cumulative {
  const { requestCounters } = snapshot
  if (requestCounters !== null) {
    const { success, failed, tokens, restartedAt } = requestCounters
    const listedCount = allAccountsOf(snapshot).length
    return {
      ...countersView({ success, failed, tokens }),
      since: isoOrNull(restartedAt),
      source: tokens === null ? labels.ofProxy : labels.ofStatistics,
      items: [
        ...counterItems({ success, failed }, labels),
        tokens === null
          ? {
              label: labels.of,
              value: labels.accounts(listedCount),
              detail: labels.ofEveryProvider,
            }
          : { label: labels.tokens, value: compactText(tokens) },
        ...(restartedAt === null
          ? []
          : [{ label: labels.proxy, value: labels.restarted, detail: labels.restartKept }]),
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
    since: isoOrNull(earliest),
    source: labels.ofHistory,
    items: [
      ...counterItems(counted, labels),
      { label: labels.tokens, value: compactText(totals.tokens) },
    ],
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

function counterItems(
  counters: Counters,
  labels: Catalogue['stats']['counters'],
): Cumulative['items'] {
  const requests = counters.success + counters.failed
  return [
    {
      label: labels.requests,
      value: countText(requests),
      detail: labels.answered(successRateText(counters)),
    },
  ]
}

function successRateText({ success, failed }: Counters): string {
  return success + failed === 0 ? '–' : `${((100 * success) / (success + failed)).toFixed(1)}%`
}
