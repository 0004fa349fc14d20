import type { Snapshot } from '@svc/core'
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

/** The payloads of a snapshot that are wanted, as bytes, with those of it that are `made` already. What the status repeats of the recommendations is made once. */
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
  const { status, stats } = payloads
  return {
    ...published,
    payloads: {
      ...payloads,
      ...(status === undefined || before === after
        ? {}
        : { status: replacedIn(status, before, after) }),
      ...(stats === undefined || isSameUsage
        ? {}
        : { stats: encodeJson(statsView(snapshot, context), stats.compression) }),
    },
    context: { ...context, refresh },
  }
}
