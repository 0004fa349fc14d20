import { instantToIso, type Snapshot } from '@svc/core'
import { actionTransitions } from '@svc/core/health'
import * as v from 'valibot'
import type { Wording } from '../messages/wording.ts'
import { actionItem, healthItemSchema, recentChangeItems } from './health.ts'
import {
  countSchema,
  described,
  instantSchema,
  isoOrNull,
  scoreSchema,
  toneSchema,
} from './wire-schema.ts'

/** Data of the event `snapshot`: the pool was evaluated. */
export const snapshotEventSchema = described(
  v.object({
    sampledAt: v.nullable(instantSchema),
    state: toneSchema,
    accountCount: countSchema,
    routableCount: countSchema,
    blockedCount: countSchema,
    topScore: scoreSchema,
    nextRoutableAt: v.nullable(instantSchema),
    etag: described(
      v.nullable(v.string()),
      'Version of `/api/v1/status` that contains this snapshot; null if no client reads the status, so that none was built.',
    ),
  }),
  'Summary of the current snapshot; a request sent after this event gets this snapshot or a newer one.',
)

/** Data of the event `change`: a recent change, worded as in `recentChanges` of health. */
export const changeEventSchema = described(healthItemSchema, 'A change of the pool.')

/** Data of the event `action`. */
export const actionEventSchema = described(
  v.object({
    transition: v.picklist(['opened', 'resolved']),
    at: instantSchema,
    item: healthItemSchema,
  }),
  'An action for the operator that was opened or resolved.',
)

/** Schema of the data of each event of `/api/v1/events`, by event name. */
export const eventSchemas = {
  snapshot: snapshotEventSchema,
  change: changeEventSchema,
  action: actionEventSchema,
} as const

/** An event of `/api/v1/events` with its data. */
export type PoolEvent = {
  [Name in keyof typeof eventSchemas]: {
    readonly event: Name
    readonly data: v.InferOutput<(typeof eventSchemas)[Name]>
  }
}[keyof typeof eventSchemas]

/** Events for changes and actions that are new since the previous evaluation. */
export function newsView(
  previous: Snapshot,
  snapshot: Snapshot,
  text: Wording,
): readonly PoolEvent[] {
  const { evaluatedAt: now, recentChanges, health } = snapshot
  const known = new Set(previous.recentChanges.map(({ detail }) => detail))
  // Changes are newest first; most evaluations find none, and then no row is worded.
  const changes = recentChanges[0]?.at === now ? recentChangeItems(snapshot, text) : []
  const { opened, resolved } = actionTransitions(previous.health.actions, health.actions)
  const at = instantToIso(now)
  return [
    ...changes.flatMap(({ item, row }): readonly PoolEvent[] =>
      row.at !== now || known.has(row.detail) ? [] : [{ event: 'change', data: item }],
    ),
    ...[...opened, ...resolved].map((action): PoolEvent => {
      const transition = opened.includes(action) ? 'opened' : 'resolved'
      return { event: 'action', data: { transition, at, item: actionItem(action, now, text) } }
    }),
  ]
}

/** The event for a published snapshot. `etag`: version of its status; null if there is none. */
export function snapshotEventView(snapshot: Snapshot, etag: string | null): PoolEvent {
  const { sampledAt, health, routableCount, blockedCount, topScore, nextRoutableAt } = snapshot
  return {
    event: 'snapshot',
    data: {
      sampledAt: isoOrNull(sampledAt),
      state: health.state,
      accountCount: routableCount + blockedCount,
      routableCount,
      blockedCount,
      topScore,
      nextRoutableAt: isoOrNull(nextRoutableAt),
      etag,
    },
  }
}
