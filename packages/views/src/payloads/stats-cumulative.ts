import { instantToIso, type Snapshot } from '@svc/core'
import { allAccountsOf } from '@svc/core/pool'
import type { UsageSummary } from '@svc/core/usage'
import * as v from 'valibot'
import { compactText, countText } from '../format/format.ts'
import type { Catalogue } from '../messages/en/catalogue.ts'
import { itemsSchema } from './metric-item.ts'
import { countSchema, described, instantSchema } from './wire-schema.ts'

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

/** The proxy's own counters if it has any, else the sums of the history. */
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
      since: restartedAt === null ? null : instantToIso(restartedAt),
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
    since: earliest === null ? null : instantToIso(earliest),
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
