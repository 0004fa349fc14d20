import { epochMs, type Snapshot } from '@svc/core'
import {
  healthView,
  manualRefreshView,
  recommendationsView,
  type StatusContext,
  statsView,
  statusFrameView,
} from '@svc/views'
import { compressedTo, encodeAround, encodeJson, replacedIn } from '../answers/encode-json.ts'
import {
  type PayloadName,
  type Payloads,
  payloadNames,
  type ReadyAnswer,
  type Wanted,
} from '../answers/ready-answer.ts'
import type { Published } from './publisher.ts'

/** Encodes the wanted payloads of a snapshot, reusing those in `made`. Recommendations, which the status repeats in part, are encoded only once. */
export function encodeSnapshot(
  snapshot: Snapshot,
  context: StatusContext,
  wanted: Wanted,
  made: Partial<Payloads> = {},
): Partial<Payloads> {
  let recommendations = made.recommendations ?? null
  const make: Readonly<Record<PayloadName, () => ReadyAnswer>> = {
    recommendations() {
      recommendations ??= encodeJson(recommendationsView(snapshot, context), 'none')
      return recommendations
    },
    status: () =>
      encodeAround(
        statusFrameView(snapshot, context),
        'recommendations',
        make.recommendations(),
        'none',
      ),
    health: () => encodeJson(healthView(snapshot, context), 'none'),
    stats: () => encodeJson(statsView(snapshot, context), 'none'),
  }
  const payloads = { ...made }
  for (const name of payloadNames) {
    const compression = wanted[name]
    if (compression !== undefined)
      payloads[name] = compressedTo(made[name] ?? make[name](), compression)
  }
  return payloads
}

/** The snapshot at a whole second, so that all ages and times to a reset, which are worded in seconds, are rounded alike. */
export function atWholeSecond(snapshot: Snapshot): Snapshot {
  return { ...snapshot, evaluatedAt: epochMs(Math.floor(snapshot.evaluatedAt / 1000) * 1000) }
}

/**
 * The publication with current usage and refresh; the same object if neither is new. Costs the same for any pool, except for copying bytes.
 * The end of a refresh waits for the next snapshot, which shows its results.
 */
export function withContext(published: Published, context: StatusContext): Published {
  const { snapshot, payloads } = published
  const isSameUsage = published.context.usage === context.usage
  const refresh = context.refresh.status === 'running' ? context.refresh : published.context.refresh
  // Cannot occur inside a text of the document, because quotes in a text are escaped.
  const [before, after] = [published.context.refresh, refresh].map(
    (state) => `"manualRefresh":${JSON.stringify(manualRefreshView(state, context.text))}`,
  ) as [string, string]
  if (isSameUsage && before === after) return published
  const { status, stats } = payloads
  const nextStatus =
    status === undefined || before === after ? status : replacedIn(status, before, after)
  return {
    ...published,
    payloads: {
      ...payloads,
      ...(nextStatus === undefined ? {} : { status: nextStatus }),
      ...(stats === undefined || isSameUsage
        ? {}
        : { stats: encodeJson(statsView(snapshot, context), stats.compression) }),
    },
    context: { ...context, refresh },
  }
}
