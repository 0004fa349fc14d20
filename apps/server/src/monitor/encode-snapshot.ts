import type { Snapshot } from '@svc/core'
import { healthView, manualRefreshView, recommendationsSteps, type StatusContext, statsView, statusSteps } from '@svc/views'
import { encodeJson, jsonBytesOf, payloadOf, replacedIn } from './encode-json.ts'
import { inTurns } from './in-turns.ts'
import type { Published } from './monitor.ts'
import type { EncodedPayload, Payloads } from './payloads.ts'

/** Every payload of a snapshot as bytes. What the status repeats of the recommendations is neither built nor stringified again. */
export async function encodeSnapshot(snapshot: Snapshot, context: StatusContext): Promise<Payloads> {
  const ranking = await inTurns(recommendationsSteps(snapshot, context))
  const rankingBytes = await jsonBytesOf(ranking)
  // Compressed by another thread while the rest is put together here.
  const [recommendations, status, health, stats] = await Promise.all([
    payloadOf(rankingBytes),
    inTurns(statusSteps(snapshot, context, ranking))
      .then((document) => jsonBytesOf(document, new Map([[ranking, rankingBytes]])))
      .then(payloadOf),
    encodeJson(healthView(snapshot, context)),
    encodeJson(statsView(snapshot, context)),
  ])
  return { status, recommendations, health, stats }
}

/**
 * What was published, with the usage and the refresh as they are by now; the same object where these say nothing new. Costs the same for any pool but for
 * the copying of bytes. That a refresh has ended is left to the next snapshot, which shows what it brought.
 */
export async function amended(published: Published, context: StatusContext): Promise<Published> {
  const { snapshot, payloads } = published
  const isSameUsage = published.context.usage === context.usage
  const refresh = context.refresh.status === 'running' ? context.refresh : published.context.refresh
  const [before, after] = [published.context.refresh, refresh].map((state) => JSON.stringify(manualRefreshView(state, context.text)))
  if (isSameUsage && before === after) return published
  const [status, stats] = await Promise.all([
    before === after ? payloads.status : withRefresh(payloads.status, before ?? '', after ?? ''),
    isSameUsage ? payloads.stats : encodeJson(statsView(snapshot, context)),
  ])
  return { snapshot, payloads: { ...payloads, status, stats }, context: { ...context, refresh } }
}

/** No text of the document can hold this: inside of one its quotes would be escaped. */
function withRefresh(status: EncodedPayload, before: string, after: string): Promise<EncodedPayload> {
  return replacedIn(status, `"manualRefresh":${before}`, `"manualRefresh":${after}`)
}
