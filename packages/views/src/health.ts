import { instantToIso, type OffReason, type Snapshot, type Tone } from '@svc/core'
import * as v from 'valibot'
import { actionWords } from './action-words.ts'
import { changeWords } from './change-words.ts'
import { rankingSummary } from './recommendations.ts'
import { snapshotSourceText } from './source-text.ts'
import { sourceWords } from './source-words.ts'
import { countSchema, instantSchema, toneSchema } from './wire-schema.ts'
import { countedText, type ViewContext, type WireText } from './wire-text.ts'

export const healthItemSchema = v.pipe(
  v.object({
    kind: v.picklist([
      ...(['auth', 'quota', 'threshold', 'gateway', 'upstream', 'history', 'config'] as const),
      ...(['account', 'plan', 'status', 'benchmark', 'refresh', 'source'] as const),
    ]),
    tone: toneSchema,
    title: v.string(),
    badge: v.string(),
    summary: v.pipe(v.string(), v.description('What is the case.')),
    detail: v.optional(v.string()),
    note: v.optional(v.pipe(v.string(), v.description('What to do about it.'))),
    at: v.optional(v.pipe(instantSchema, v.description('Of a recent change: when it was seen.'))),
    timeText: v.optional(v.string()),
    reason: v.optional(
      v.pipe(
        v.picklist(['no_store', 'no_key', 'not_configured', 'switched_off'] as const satisfies readonly OffReason[]),
        v.description('Of a source that is off: why.'),
      ),
    ),
  }),
  v.description('An action, a source or a recent change.'),
)

export const healthSchema = v.pipe(
  v.object({
    title: v.string(),
    state: toneSchema,
    summary: v.string(),
    pill: v.string(),
    actionsTitle: v.optional(v.string()),
    sourcesTitle: v.optional(v.string()),
    recentChangesTitle: v.optional(v.string()),
    actions: v.pipe(v.array(healthItemSchema), v.description('What an operator must do, worst first.')),
    sources: v.array(healthItemSchema),
    recentChanges: v.pipe(v.array(healthItemSchema), v.description('Newest first.')),
    actionCount: countSchema,
    sourceCounts: v.optional(v.object({ good: countSchema, warn: countSchema, bad: countSchema, unknown: countSchema })),
    sampledAt: v.optional(instantSchema),
    source: v.optional(v.string()),
    sourceText: v.optional(v.string()),
    recommendations: v.optional(
      v.object({ summary: v.string(), routableCount: countSchema, blockedCount: countSchema, topScore: countSchema }),
    ),
  }),
  v.description('Operational health: actions, sources and recent changes.'),
)

export type HealthItem = v.InferOutput<typeof healthItemSchema>
export type Health = v.InferOutput<typeof healthSchema>

/** The answer of `/api/v1/health`. */
export function healthView(snapshot: Snapshot, { text }: ViewContext): Health {
  const { health } = snapshot
  const actions = health.actions.map(({ tone, action }) => ({ ...actionWords(action, snapshot.evaluatedAt, text), tone }))
  return {
    title: 'Health',
    state: health.state,
    summary: summaryOf(health.state, actions),
    pill: pillOf(health.state, actions.length),
    actionsTitle: 'Needs you',
    sourcesTitle: 'Sources',
    recentChangesTitle: 'Recent changes',
    actions,
    sources: health.sources.map((source) => ({
      kind: 'source',
      tone: source.tone,
      ...sourceWords(source, snapshot, text),
      ...(source.outcome.kind === 'off' ? { reason: source.outcome.reason } : {}),
    })),
    recentChanges: changeItems(snapshot, text),
    actionCount: actions.length,
    sourceCounts: countTones(health.sources.map((source) => source.tone)),
    ...(snapshot.sampledAt === null ? {} : { sampledAt: instantToIso(snapshot.sampledAt) }),
    source: snapshot.source,
    sourceText: snapshotSourceText(snapshot, text),
    recommendations: {
      summary: rankingSummary(snapshot),
      routableCount: snapshot.routableCount,
      blockedCount: snapshot.blockedCount,
      topScore: snapshot.topScore,
    },
  }
}

/** What changed, newest first. */
export function changeItems(snapshot: Snapshot, text: WireText): HealthItem[] {
  const now = snapshot.evaluatedAt
  return snapshot.recentChanges.map(({ at, tone, detail }) => ({
    ...changeWords(detail, now, text),
    tone,
    at: instantToIso(at),
    timeText: text.momentText(at, now),
  }))
}

function summaryOf(state: Tone, actions: readonly HealthItem[]): string {
  const [worst, ...others] = actions
  if (worst !== undefined) return others.length === 0 ? `${worst.title}.` : `${worst.title}, and ${others.length} more.`
  switch (state) {
    case 'good':
      return 'Nothing to do.'
    case 'unknown':
      return 'Waiting for the first reading.'
    case 'warn':
    case 'bad':
      return 'Nothing to do yet, but a source has trouble.'
    default:
      return state satisfies never
  }
}

function pillOf(state: Tone, actionCount: number): string {
  if (actionCount > 0) return countedText(actionCount, 'action')
  const words: Readonly<Record<Tone, string>> = { good: 'Good', warn: 'Warn', bad: 'Bad', unknown: 'Unknown' }
  return words[state]
}

function countTones(tones: readonly Tone[]): Record<Tone, number> {
  const counts = { good: 0, warn: 0, bad: 0, unknown: 0 }
  for (const tone of tones) counts[tone] += 1
  return counts
}
