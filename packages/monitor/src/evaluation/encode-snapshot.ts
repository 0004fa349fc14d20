import { epochMs, type Snapshot } from '@svc/core'
import {
  healthStep,
  healthView,
  manualRefreshView,
  recommendationsView,
  type StatusContext,
  type StatusOrigin,
  statsView,
  statusFrameView,
} from '@svc/views'
import { compressedTo, encodeAround, encodeJson, replacedIn } from '../answers/encode-json.ts'
import {
  type Compression,
  changesNames,
  type PayloadName,
  type Payloads,
  payloadNames,
  type ReadyAnswer,
  type Wanted,
} from '../answers/ready-answer.ts'
import { type PayloadVersions, versionsAfter } from './payload-versions.ts'
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
    const compression = compressionWanted(name, wanted)
    if (compression !== undefined)
      payloads[name] = compressedTo(made[name] ?? make[name](), compression)
  }
  return payloads
}

/** Changes are found by the version of the payload, so its bytes must exist too. */
function compressionWanted(name: PayloadName, wanted: Wanted): Compression | undefined {
  const changes = name === 'status' || name === 'health' ? wanted[changesNames[name]] : undefined
  return wanted[name] ?? (changes === undefined ? undefined : 'none')
}

/** Versions of the polled payloads, once these were made from this snapshot. */
export function versionsOf(
  payloads: Partial<Payloads>,
  origin: StatusOrigin,
  wanted: Wanted,
  before: Pick<Published, 'versions' | 'healthVersions'> | null,
): Pick<Published, 'versions' | 'healthVersions'> {
  const { changes = null, healthChanges = null } = wanted
  const { status, health } = payloads
  return {
    versions: versionsAfter(before?.versions ?? null, status, origin, changes),
    healthVersions: versionsAfter(
      before?.healthVersions ?? null,
      health,
      origin,
      healthChanges,
      healthStep,
    ),
  }
}

/**
 * The snapshot moved to a whole second before wording: between two snapshots all ages then grow by the same number of whole seconds, and
 * all times to a reset shrink by it. A reader of changes gets this number once.
 */
export function atWholeSecond(snapshot: Snapshot): Snapshot {
  return { ...snapshot, evaluatedAt: epochMs(Math.floor(snapshot.evaluatedAt / 1000) * 1000) }
}

/**
 * The publication with current usage and refresh; the same object if neither is new. Costs the same for any pool, except for copying bytes.
 * The end of a refresh waits for the next snapshot, which shows its results.
 */
export function amended(published: Published, context: StatusContext): Published {
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
    versions: amendedVersions(published.versions, nextStatus, refresh),
    context: { ...context, refresh },
  }
}

/** The versions with the new status, which differs only in the refresh. */
function amendedVersions(
  versions: PayloadVersions | null,
  status: ReadyAnswer | undefined,
  refresh: StatusContext['refresh'],
): PayloadVersions | null {
  if (versions === null) return null
  const { snapshot, context } = versions.newest
  const origin = { snapshot, context: { ...context, refresh } }
  return versionsAfter(versions, status, origin, versions.compression)
}
