import { type Snapshot, secondsUntil } from '@svc/core'
import * as v from 'valibot'
import { snapshotSourceText } from '../messages/source-words.ts'
import type { Wording } from '../messages/wording.ts'
import type { AnswerContext } from './answer.ts'
import { poolCapacitySchema, poolCapacityView } from './capacity.ts'
import { providerPoolsSchema, providerPoolsView } from './provider-pools.ts'
import { recommendationItemSchema, recommendationItemsIn } from './recommendation-item.ts'
import { countSchema, described, instantSchema, optional, secondsSchema } from './wire-schema.ts'

/** Answer of `/api/v1/recommendations`. */
export const recommendationsSchema = described(
  v.object({
    warnings: optional(
      v.array(v.string()),
      'Unknown parameters that were ignored; omitted if there are none.',
    ),
    contractVersion: v.string(),
    provider: optional(
      v.string(),
      'Provider of the accounts: one, several separated by commas, or `all`. Omitted for `codex`.',
    ),
    sampledAt: v.nullable(instantSchema),
    source: v.object({
      kind: v.picklist(['live', 'partial', 'stale', 'unavailable', 'demo']),
      text: v.string(),
      gatewayOk: v.boolean(),
    }),
    routingPolicy: v.object({
      scoreMax: v.pipe(v.number(), v.integer()),
      capacityWeightUnit: described(
        v.string(),
        'Unit of the weights: `plus`, `pro` or `accounts`; `mixed` for several providers, whose units cannot be added.',
      ),
      hardBlocks: v.array(v.string()),
    }),
    summary: v.optional(v.string()),
    routableCount: countSchema,
    blockedCount: countSchema,
    topScore: countSchema,
    nextRoutableAt: optional(
      v.nullable(instantSchema),
      'Time at which the next blocked account is expected back; null if none is expected or the time is unknown.',
    ),
    nextRoutableInSeconds: optional(
      v.nullable(secondsSchema),
      'Seconds from this answer to `nextRoutableAt`; null if that is null.',
    ),
    capacity: optional(
      poolCapacitySchema,
      'Quota left in the pool. Omitted for several providers, which have no common unit.',
    ),
    pools: v.optional(providerPoolsSchema),
    items: described(
      v.array(recommendationItemSchema),
      'Accounts that match the parameters: routable ones first, best first.',
    ),
  }),
  'Accounts ranked for automatic selection.',
)

/** Answer of `/api/v1/recommendations`, best account first. */
export type Recommendations = v.InferOutput<typeof recommendationsSchema>

/** Maximum value of `limit`. */
export const RANKING_LIMIT_MAX = 1_000

export const CONTRACT_VERSION = '1.1'

const HARD_BLOCKS = [
  'routeEligible=false',
  'tone=bad',
  'status disabled/unavailable/invalid/auth invalid/cooldown',
  'exhausted quota windows',
]

/** The answer of `/api/v1/recommendations`. `listed`: the accounts of the snapshot to include. */
export function recommendationsView(
  snapshot: Snapshot,
  context: AnswerContext,
  listed = snapshot.accounts,
): Recommendations {
  const { text } = context
  return {
    contractVersion: CONTRACT_VERSION,
    provider: snapshot.provider,
    sampledAt: snapshot.sampledAt === null ? null : text.iso(snapshot.sampledAt),
    source: {
      kind: snapshot.source,
      text: snapshotSourceText(snapshot, text),
      gatewayOk: snapshot.gatewayUp === true,
    },
    routingPolicy: {
      scoreMax: 100,
      capacityWeightUnit: snapshot.unit,
      hardBlocks: [...HARD_BLOCKS],
    },
    summary: rankingSummary(snapshot, text),
    routableCount: snapshot.routableCount,
    blockedCount: snapshot.blockedCount,
    topScore: snapshot.topScore,
    nextRoutableAt: snapshot.nextRoutableAt === null ? null : text.iso(snapshot.nextRoutableAt),
    nextRoutableInSeconds: secondsUntil(snapshot.nextRoutableAt, snapshot.evaluatedAt),
    ...(snapshot.unit === 'mixed' ? {} : { capacity: poolCapacityView(snapshot) }),
    pools: providerPoolsView(snapshot, context),
    items: listed.map(recommendationItemsIn(snapshot, text)),
  }
}

/** Summary of the ranking: `15 routable · 6 blocked · top score 92`. */
export function rankingSummary(
  { routableCount, blockedCount, topScore }: Snapshot,
  { words }: Wording,
): string {
  return words.pool.ranking({ routableCount, blockedCount, topScore })
}
