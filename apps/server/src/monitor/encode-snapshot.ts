import type { Snapshot } from '@svc/core'
import { healthView, recommendationsSteps, statusSteps, type ViewContext } from '@svc/views'
import { encodeJson, jsonBytesOf, payloadOf } from './encode-json.ts'
import { inTurns } from './in-turns.ts'
import type { Payloads } from './payloads.ts'

/** Every payload of a snapshot as bytes. What the status repeats of the recommendations is neither built nor stringified again. */
export async function encodeSnapshot(snapshot: Snapshot, context: ViewContext): Promise<Payloads> {
  const ranking = await inTurns(recommendationsSteps(snapshot, context))
  const rankingBytes = await jsonBytesOf(ranking)
  const statusBytes = await jsonBytesOf(await inTurns(statusSteps(snapshot, context, ranking)), new Map([[ranking, rankingBytes]]))
  const [status, recommendations, health] = await Promise.all([
    payloadOf(statusBytes),
    payloadOf(rankingBytes),
    encodeJson(healthView(snapshot, context)),
  ])
  return { status, recommendations, health }
}
