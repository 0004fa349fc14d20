import {
  type EpochMs,
  type EvaluatedAccount,
  type QuotaWindow as EvaluatedWindow,
  isStale,
  percentOf,
  planLabel,
  resetAtOf,
  type Snapshot,
  secondsUntil,
} from '@svc/core'
import * as v from 'valibot'
import { scoreReasons } from './score-reasons.ts'
import { snapshotSourceText } from './source-text.ts'
import { statusAdvice, statusLabel } from './status-words.ts'
import { countSchema, instantSchema, percentSchema, scoreSchema, secondsSchema, toneSchema, unitsSchema } from './wire-schema.ts'
import { countText, durationText, percentText, type ViewContext, type WireText, windowLabel } from './wire-text.ts'

/** Names one account. Closed: it can never grow a path, a token or a key. */
export const accountSelectorSchema = v.pipe(
  v.strictObject({ authName: v.string(), authIndex: v.string(), accountKey: v.string() }),
  v.description('Names one account. Closed object without file paths, tokens or keys. accountKey is the stable identity.'),
)

export const quotaWindowSchema = v.pipe(
  v.object({
    id: v.pipe(v.string(), v.description('5h, week, and further windows of the account itself.')),
    label: v.string(),
    state: v.picklist(['known', 'exhausted', 'unknown', 'absent']),
    percent: v.pipe(v.nullable(percentSchema), v.description('Percent remaining; null when unknown or absent.')),
    resetAt: v.nullable(instantSchema),
    resetsInSeconds: v.nullable(secondsSchema),
    remainingText: v.nullable(v.string()),
    stale: v.boolean(),
  }),
  v.description('State of one quota window.'),
)

export const reclaimWindowSchema = v.pipe(
  v.object({ id: v.string(), label: v.optional(v.string()), percent: percentSchema, resetsInSeconds: secondsSchema }),
  v.description('A healthy 5h window with at least 50 % left that resets within 60 minutes: worth spending first.'),
)

export const scoreComponentsSchema = v.object({
  capacity: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(40)),
  health: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(20)),
  plan: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(5)),
  load: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(25)),
  reclaim: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10)),
})

export const recommendationItemSchema = v.pipe(
  v.object({
    selector: accountSelectorSchema,
    authIndex: v.string(),
    accountKey: v.string(),
    planKind: v.string(),
    tone: v.optional(toneSchema),
    title: v.pipe(v.string(), v.description('Account label; may be an e-mail address.')),
    badge: v.pipe(v.string(), v.description('The plan as shown.')),
    summary: v.string(),
    detail: v.optional(v.string()),
    note: v.optional(v.string()),
    routingScore: scoreSchema,
    routingEligible: v.boolean(),
    routingBlockedReasons: v.pipe(v.array(v.string()), v.description('Stable slugs; empty exactly when the account is routable.')),
    scoreComponents: v.optional(scoreComponentsSchema),
    reasons: v.optional(v.array(v.string())),
    capacityWeight: v.pipe(unitsSchema, v.description('Plus units of a full window.')),
    quotaWindows: v.pipe(v.array(quotaWindowSchema), v.description('Starts with 5h and week.')),
    reclaimEligible: v.boolean(),
    reclaimWindow: v.optional(v.nullable(reclaimWindowSchema)),
  }),
  v.description('One account, how well it suits the next request, and why.'),
)

export const recommendationsSchema = v.pipe(
  v.object({
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
    items: v.pipe(v.array(recommendationItemSchema), v.description('Every account, routable ones first, best first.')),
  }),
  v.description('Accounts ranked for automatic selection.'),
)

export type QuotaWindow = v.InferOutput<typeof quotaWindowSchema>
export type RecommendationItem = v.InferOutput<typeof recommendationItemSchema>
export type Recommendations = v.InferOutput<typeof recommendationsSchema>

/** Version of the wrapper-facing contract. Source: spec §9. */
const CONTRACT_VERSION = '1.1'

/** The rules that block an account, in the words of spec §2. */
const HARD_BLOCKS = [
  'routeEligible=false',
  'tone=bad',
  'status disabled/unavailable/invalid/auth invalid/cooldown',
  'exhausted quota windows',
]

/** The answer of `/api/v1/recommendations`. */
export function recommendationsView(snapshot: Snapshot, { text }: ViewContext): Recommendations {
  const now = snapshot.evaluatedAt
  const items = snapshot.accounts.map((account) => recommendationItem(account, now, text))
  return {
    contractVersion: CONTRACT_VERSION,
    sampledAt: snapshot.sampledAt === null ? null : text.iso(snapshot.sampledAt),
    source: { kind: snapshot.source, text: snapshotSourceText(snapshot, text), gatewayOk: snapshot.gatewayUp === true },
    routingPolicy: { scoreMax: 100, capacityWeightUnit: 'plus', hardBlocks: [...HARD_BLOCKS] },
    summary: rankingSummary(snapshot),
    routableCount: snapshot.routableCount,
    blockedCount: snapshot.blockedCount,
    topScore: snapshot.topScore,
    items,
  }
}

/** `15 routable · 6 blocked · top score 92`. */
export function rankingSummary(snapshot: Pick<Snapshot, 'routableCount' | 'blockedCount' | 'topScore'>): string {
  return `${countText(snapshot.routableCount)} routable · ${countText(snapshot.blockedCount)} blocked · top score ${snapshot.topScore}`
}

/** Time to the window's reset as text; null when it has none, and a plain word when the reset passed unproven. */
export function windowRemainingText(window: EvaluatedWindow, now: EpochMs): string | null {
  if (window.state === 'known' && window.rolledOverAt !== null) return 'reset, unconfirmed'
  const seconds = secondsUntil(resetAtOf(window), now)
  return seconds === null ? null : durationText(seconds)
}

/** Quota left as text: `74%`, `unknown` without a reading, `–` where the plan has no such window. */
export function windowPercentText(window: EvaluatedWindow): string {
  if (window.state === 'unknown') return 'unknown'
  return window.state === 'absent' ? '–' : percentText(window.percent)
}

/** Picked field by field, so that nothing else can ever ride along. */
export function accountSelector({ selector }: EvaluatedAccount): v.InferOutput<typeof accountSelectorSchema> {
  return { authName: selector.authName, authIndex: selector.authIndex, accountKey: selector.accountKey }
}

function recommendationItem(account: EvaluatedAccount, now: EpochMs, text: WireText): RecommendationItem {
  const detail = resetsText(account.windows, now, text)
  return {
    selector: accountSelector(account),
    authIndex: account.selector.authIndex,
    accountKey: account.selector.accountKey,
    planKind: account.plan,
    tone: account.status.tone,
    title: account.title,
    badge: planLabel(account.plan),
    summary: [statusLabel(account.status, now, text), ...account.windows.map(shortWindowText)].join(' · '),
    ...(detail === '' ? {} : { detail }),
    note: statusAdvice(account, now, text),
    routingScore: account.score,
    routingEligible: account.routable,
    routingBlockedReasons: [...account.blockedReasons],
    scoreComponents: { ...account.scoreComponents },
    reasons: scoreReasons(account, now),
    capacityWeight: account.capacityWeight,
    quotaWindows: account.windows.map((window) => quotaWindow(window, now, text)),
    reclaimEligible: account.reclaim !== null,
    reclaimWindow: account.reclaim === null ? null : { ...account.reclaim, label: windowLabel(account.reclaim.id) },
  }
}

function quotaWindow(window: EvaluatedWindow, now: EpochMs, text: WireText): QuotaWindow {
  const resetAt = resetAtOf(window)
  return {
    id: window.id,
    label: windowLabel(window.id),
    state: window.state,
    percent: percentOf(window),
    resetAt: resetAt === null ? null : text.iso(resetAt),
    resetsInSeconds: secondsUntil(resetAt, now),
    remainingText: windowRemainingText(window, now),
    stale: isStale(window),
  }
}

function shortWindowText(window: EvaluatedWindow): string {
  return `${windowLabel(window.id)} ${windowPercentText(window)}`
}

function resetsText(windows: readonly EvaluatedWindow[], now: EpochMs, text: WireText): string {
  return windows
    .flatMap((window) => {
      const resetAt = resetAtOf(window)
      if (resetAt === null) return []
      return [`${windowLabel(window.id)} resets ${text.whenText(resetAt, now)}, in ${windowRemainingText(window, now)}`]
    })
    .join(' · ')
}
