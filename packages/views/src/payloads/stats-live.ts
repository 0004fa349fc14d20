import { instantToIso, type Snapshot } from '@svc/core'
import { LIVE_WINDOW_SECONDS, type UsageSummary } from '@svc/core/usage'
import * as v from 'valibot'
import { capitalised } from '../format/format.ts'
import { failureRateText, noUsage, totalTexts } from '../messages/usage-text.ts'
import { itemsSchema } from './metric-item.ts'
import type { UsageContext } from './view-context.ts'
import { countSchema, described, instantSchema } from './wire-schema.ts'

/** Usage in the last quarter of an hour. */
export const liveSchema = described(
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

/** Zeros without a usage history. */
export function liveView(
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
    lastEventAt: lastEventAt === null ? null : instantToIso(lastEventAt),
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
