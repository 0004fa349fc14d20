import { type Snapshot, secondsUntil } from '@svc/core'
import * as v from 'valibot'
import { snapshotSourceText } from '../messages/source-text.ts'
import type { Wording } from '../messages/wording.ts'
import { poolCapacitySchema, poolCapacityView } from './capacity.ts'
import { recommendationItemSchema, recommendationItemsIn } from './recommendation-item.ts'
import type { ViewContext } from './view-context.ts'
import { countSchema, described, instantSchema, secondsSchema } from './wire-schema.ts'

/** Answer of `/api/v1/recommendations`. */
export const recommendationsSchema = described(
  v.object({
    warnings: v.optional(
      described(v.array(v.string()), 'Parameters that are not known and were ignored.'),
    ),
    contractVersion: v.string(),
    sampledAt: v.nullable(instantSchema),
    source: v.object({
      kind: v.picklist(['live', 'partial', 'stale', 'unavailable', 'demo']),
      text: v.string(),
      gatewayOk: v.boolean(),
    }),
    routingPolicy: v.object({
      scoreMax: v.pipe(v.number(), v.integer()),
      capacityWeightUnit: v.string(),
      hardBlocks: v.array(v.string()),
    }),
    summary: v.optional(v.string()),
    routableCount: countSchema,
    blockedCount: countSchema,
    topScore: countSchema,
    nextRoutableAt: v.optional(
      described(
        v.nullable(instantSchema),
        'When the next blocked account is expected back; null when none is, or nobody knows.',
      ),
    ),
    nextRoutableInSeconds: v.optional(
      described(v.nullable(secondsSchema), 'The same in seconds, from when this answer was made.'),
    ),
    capacity: v.optional(poolCapacitySchema),
    items: described(
      v.array(recommendationItemSchema),
      'Every account that fits the parameters, routable ones first, best first.',
    ),
  }),
  'Accounts ranked for automatic selection.',
)

/** Answer of `/api/v1/recommendations`, best account first. */
export type Recommendations = v.InferOutput<typeof recommendationsSchema>

/** Most accounts that `limit` takes. */
export const RANKING_LIMIT_MAX = 1_000

/** Version of the contract with wrappers. */
export const CONTRACT_VERSION = '1.1'

/** Names on the wire of the rules that block an account. */
const HARD_BLOCKS = [
  'routeEligible=false',
  'tone=bad',
  'status disabled/unavailable/invalid/auth invalid/cooldown',
  'exhausted quota windows',
]

/** The answer of `/api/v1/recommendations`. `listed`: the accounts of the snapshot that become items. */
export function recommendationsView(
  snapshot: Snapshot,
  context: ViewContext,
  listed = snapshot.accounts,
): Recommendations {
  const items = listed.map(recommendationItemsIn(snapshot, context.text))
  return { ...recommendationsOutline(snapshot, context), items }
}

/** The recommendations without their items. */
export function recommendationsOutline(snapshot: Snapshot, { text }: ViewContext): Recommendations {
  return {
    contractVersion: CONTRACT_VERSION,
    sampledAt: snapshot.sampledAt === null ? null : text.iso(snapshot.sampledAt),
    source: {
      kind: snapshot.source,
      text: snapshotSourceText(snapshot, text),
      gatewayOk: snapshot.gatewayUp === true,
    },
    routingPolicy: { scoreMax: 100, capacityWeightUnit: 'plus', hardBlocks: [...HARD_BLOCKS] },
    summary: rankingSummary(snapshot, text),
    routableCount: snapshot.routableCount,
    blockedCount: snapshot.blockedCount,
    topScore: snapshot.topScore,
    nextRoutableAt: snapshot.nextRoutableAt === null ? null : text.iso(snapshot.nextRoutableAt),
    nextRoutableInSeconds: secondsUntil(snapshot.nextRoutableAt, snapshot.evaluatedAt),
    capacity: poolCapacityView(snapshot),
    items: [],
  }
}

/** `15 routable · 6 blocked · top score 92`. */
export function rankingSummary(
  { routableCount, blockedCount, topScore }: Snapshot,
  { words }: Wording,
): string {
  return words.pool.ranking({ routableCount, blockedCount, topScore })
}
