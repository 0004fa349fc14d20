import type { Snapshot } from '@svc/core'
import { healthView, recommendationsSteps, type StatusContext, statsView, statusSteps } from '@svc/views'
import { encodeJson, jsonBytesOf, payloadOf } from './encode-json.ts'
import { inTurns } from './in-turns.ts'
import type { Payloads } from './payloads.ts'

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
