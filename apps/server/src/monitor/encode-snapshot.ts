import type { Snapshot } from '@svc/core'
import {
  healthView,
  manualRefreshView,
  recommendationsView,
  type StatusContext,
  statsView,
  statusView,
} from '@svc/views'
import { encodeAround, encodeJson, replacedIn } from '../answers/encode-json.ts'
import type { Payloads } from '../answers/ready-answer.ts'
import type { Published } from './monitor.ts'

/** Every payload of a snapshot as bytes. What the status repeats of the recommendations is made once. */
export function encodeSnapshot(snapshot: Snapshot, context: StatusContext): Payloads {
  const ranking = recommendationsView(snapshot, context)
  const recommendations = encodeJson(ranking)
  const document = statusView(snapshot, context, ranking)
  return {
    status: encodeAround(document, 'recommendations', recommendations),
    recommendations,
    health: encodeJson(healthView(snapshot, context)),
    stats: encodeJson(statsView(snapshot, context)),
  }
}

/**
 * What was published, with the usage and the refresh as they are by now; the same object where these say nothing new. Costs the same for any pool but for
 * the copying of bytes. That a refresh has ended is left to the next snapshot, which shows what it brought.
 */
export function amended(published: Published, context: StatusContext): Published {
  const { snapshot, payloads } = published
  const isSameUsage = published.context.usage === context.usage
  const refresh = context.refresh.status === 'running' ? context.refresh : published.context.refresh
  // No text of the document can hold this: inside of one its quotes would be escaped.
  const [before, after] = [published.context.refresh, refresh].map(
    (state) => `"manualRefresh":${JSON.stringify(manualRefreshView(state, context.text))}`,
  ) as [string, string]
  if (isSameUsage && before === after) return published
  const status = before === after ? payloads.status : replacedIn(payloads.status, before, after)
  const stats = isSameUsage ? payloads.stats : encodeJson(statsView(snapshot, context))
  return {
    ...published,
    payloads: { ...payloads, status, stats },
    context: { ...context, refresh },
  }
}
