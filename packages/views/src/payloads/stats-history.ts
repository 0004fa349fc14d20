import { instantToIso } from '@svc/core'
import { coveragePercentOf, type UsageSummary } from '@svc/core/usage'
import * as v from 'valibot'
import { bytesText, countText } from '../format/format.ts'
import { itemsSchema } from './metric-item.ts'
import type { UsageContext } from './view-context.ts'
import { countSchema, described, instantSchema, percentSchema } from './wire-schema.ts'

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
      'Percent of the observed time of the last 30 days that has no gaps; null before the first poll.',
    ),
    items: itemsSchema,
  }),
  'Stored usage history.',
)

type History = v.InferOutput<typeof historySchema>

/** Zeros and nulls without a usage history. */
export function historyView(
  usage: UsageSummary | null,
  { enabled, text }: { readonly enabled: boolean; readonly text: UsageContext['text'] },
): History {
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
    items: historyItems(usage.history, coveragePercent, text),
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
