import type { Snapshot } from '@svc/core'
import * as v from 'valibot'
import { languages } from '../language/language.ts'
import { snapshotSourceText } from '../messages/source-words.ts'
import { usageLine } from '../messages/usage-text.ts'
import { answerSchema, answerView } from './answer.ts'
import {
  capacitySchema,
  capacityView,
  firstRoundSchema,
  firstRoundView,
  nextReturnSchema,
  nextReturnView,
} from './capacity.ts'
import { recommendationsSchema, recommendationsView } from './recommendations.ts'
import { manualRefreshSchema, manualRefreshView } from './refresh.ts'
import { statusTabs, statusTabsSchema } from './status-tabs.ts'
import type { StatusContext } from './view-context.ts'
import {
  countSchema,
  described,
  optional,
  scoreSchema,
  secondsSchema,
  toneSchema,
} from './wire-schema.ts'

export const statusSummarySchema = described(
  v.object({
    activityLine: described(
      v.string(),
      'Requests and tokens of the last 24 h. Names no account or client.',
    ),
    gatewayOk: v.boolean(),
    healthState: toneSchema,
    healthActionCount: countSchema,
    answer: v.optional(answerSchema),
    routableCount: countSchema,
    blockedCount: countSchema,
    topScore: scoreSchema,
    fiveHour: capacitySchema,
    weekly: capacitySchema,
    nextRecovery: v.nullable(nextReturnSchema),
    firstRound: v.optional(firstRoundSchema),
    manualRefresh: manualRefreshSchema,
    sampleAgeSeconds: v.nullable(secondsSchema),
    sampleEverySeconds: described(
      secondsSchema,
      'Planned interval between two reads of the account list, in seconds.',
    ),
  }),
  'Key figures of the current snapshot, such as whether a large job can start now.',
)

/** Answer of `/api/v1/status`. */
export const statusSnapshotSchema = described(
  v.object({
    available: v.boolean(),
    source: v.picklist(['live', 'partial', 'stale', 'unavailable', 'demo']),
    sourceText: v.string(),
    displayTimezone: v.string(),
    displayTimezoneLabel: v.string(),
    displayLanguage: optional(
      v.picklist(languages),
      'Language of the texts as a BCP 47 tag; omitted for English.',
    ),
    summary: statusSummarySchema,
    tabs: statusTabsSchema,
    recommendations: described(
      recommendationsSchema,
      'Ranked accounts with their providers, and the pool of every provider.',
    ),
    demo: optional(v.boolean(), 'True if the data is invented; omitted otherwise.'),
    version: optional(
      v.string(),
      'Version of the monitor and, after a plus sign, the commit it was built from.',
    ),
  }),
  'One snapshot as the dashboard shows it.',
)

/** Answer of `/api/v1/status`, which is for user interfaces. */
export type StatusSnapshot = v.InferOutput<typeof statusSnapshotSchema>

/** The answer of `/api/v1/status`. */
export function statusView(snapshot: Snapshot, context: StatusContext): StatusSnapshot {
  return {
    ...statusFrameView(snapshot, context),
    recommendations: recommendationsView(snapshot, context),
  }
}

/** The status without recommendations, which have an endpoint of their own. */
export function statusFrameView(
  snapshot: Snapshot,
  context: StatusContext,
): Omit<StatusSnapshot, 'recommendations'> {
  const { text } = context
  return {
    available: snapshot.available,
    source: snapshot.source,
    sourceText: snapshotSourceText(snapshot, text),
    displayTimezone: text.displayTimezone,
    displayTimezoneLabel: text.zoneLabel(snapshot.evaluatedAt),
    ...(text.language === 'en' ? {} : { displayLanguage: text.language }),
    summary: statusSummary(snapshot, context),
    tabs: statusTabs(snapshot, context),
    ...(snapshot.source === 'demo' ? { demo: true } : {}),
    ...(context.version === undefined ? {} : { version: context.version }),
  }
}

function statusSummary(
  snapshot: Snapshot,
  context: StatusContext,
): v.InferOutput<typeof statusSummarySchema> {
  const { text, usage, refresh } = context
  const { capacity, evaluatedAt, sampledAt } = snapshot
  return {
    activityLine:
      usage.kind === 'read'
        ? usageLine(usage.summary.lastDay, '24h', text.words)
        : text.words.usage.noData,
    gatewayOk: snapshot.gatewayUp === true,
    healthState: snapshot.health.state,
    healthActionCount: snapshot.health.actions.length,
    answer: answerView(snapshot, context),
    routableCount: snapshot.routableCount,
    blockedCount: snapshot.blockedCount,
    topScore: snapshot.topScore,
    fiveHour: capacityView(capacity['5h'], snapshot, text),
    weekly: capacityView(capacity.week, snapshot, text),
    nextRecovery: nextReturnView(snapshot, Object.values(capacity), text),
    firstRound: firstRoundView(snapshot, text),
    manualRefresh: manualRefreshView(refresh, text),
    sampleAgeSeconds:
      sampledAt === null ? null : Math.max(0, Math.floor((evaluatedAt - sampledAt) / 1000)),
    sampleEverySeconds: snapshot.accountRefreshSeconds,
  }
}
