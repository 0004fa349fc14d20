import {
  blocksOf,
  type EpochMs,
  type EvaluatedAccount,
  type QuotaWindow as EvaluatedWindow,
  isStale,
  percentOf,
  planLabel,
  resetAtOf,
  type Snapshot,
  scoreMaximaOf,
  secondsUntil,
} from '@svc/core'
import * as v from 'valibot'
import { countText, durationText, percentText, type Zone } from '../format/format.ts'
import { blockedText } from '../messages/conditions/index.ts'
import { windowLabel } from '../messages/names/window-label.ts'
import { reasonsIn, scoreComponentIds, scoreParts } from '../messages/score.ts'
import { snapshotSourceText } from '../messages/source-text.ts'
import { statusAdvice, statusLabel } from '../messages/statuses.ts'
import { poolCapacitySchema, poolCapacityView } from './capacity.ts'
import type { ViewContext } from './view-context.ts'
import {
  countSchema,
  instantSchema,
  originSchema,
  percentSchema,
  scoreSchema,
  secondsSchema,
  toneSchema,
  unitsSchema,
} from './wire-schema.ts'

/** Names one account. Closed: it can never grow a path, a token or a key. */
export const accountSelectorSchema = v.pipe(
  v.strictObject({ authName: v.string(), authIndex: v.string(), accountKey: v.string() }),
  v.description(
    'Names one account. Closed object without file paths, tokens or keys. accountKey is the stable identity.',
  ),
)

/** Where the state of a window comes from. */
const windowReadingEntries = {
  rolledOver: v.optional(
    v.pipe(
      v.boolean(),
      v.description(
        'The reset has passed since the reading: the window counts as full, but nothing has shown it yet.',
      ),
    ),
  ),
  origin: v.optional(
    v.pipe(
      v.nullable(originSchema),
      v.description('What the reading came with; null without one.'),
    ),
  ),
  sampledAt: v.optional(
    v.pipe(
      v.nullable(instantSchema),
      v.description('When the reading was taken; null without one.'),
    ),
  ),
}

export const quotaWindowSchema = v.pipe(
  v.object({
    id: v.pipe(v.string(), v.description('5h, week, and further windows of the account itself.')),
    label: v.string(),
    state: v.picklist(['known', 'exhausted', 'unknown', 'absent']),
    percent: v.pipe(
      v.nullable(percentSchema),
      v.description('Percent remaining; null when unknown or absent.'),
    ),
    resetAt: v.nullable(instantSchema),
    resetsInSeconds: v.nullable(secondsSchema),
    remainingText: v.nullable(v.string()),
    stale: v.boolean(),
    ...windowReadingEntries,
  }),
  v.description('State of one quota window.'),
)

export const reclaimWindowSchema = v.pipe(
  v.object({
    id: v.string(),
    label: v.optional(v.string()),
    percent: percentSchema,
    resetsInSeconds: secondsSchema,
  }),
  v.description(
    'A healthy 5h window with at least 50 % left that resets within 60 minutes: worth spending first.',
  ),
)

const MAXIMA = scoreMaximaOf()
const pointsSchema = (max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(max))

export const scoreComponentsSchema = v.object({
  capacity: pointsSchema(MAXIMA.capacity),
  health: pointsSchema(MAXIMA.health),
  plan: pointsSchema(MAXIMA.plan),
  load: pointsSchema(MAXIMA.load),
  reclaim: pointsSchema(MAXIMA.reclaim),
})

export const scorePartSchema = v.pipe(
  v.object({
    id: v.picklist(scoreComponentIds),
    points: countSchema,
    max: v.pipe(countSchema, v.description('The most points this component can have.')),
    reason: v.optional(
      v.pipe(v.string(), v.description('What earned the points; left out without points.')),
    ),
  }),
  v.description('One component of a routing score.'),
)

export const blockSchema = v.pipe(
  v.object({
    slug: v.pipe(v.string(), v.description('As in routingBlockedReasons.')),
    until: v.pipe(
      v.nullable(instantSchema),
      v.description('When this ends; null where nobody knows.'),
    ),
    text: v.string(),
  }),
  v.description('One thing that keeps an account from being used.'),
)

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
    routingBlockedReasons: v.pipe(
      v.array(v.string()),
      v.description('Stable slugs; empty exactly when the account is routable.'),
    ),
    blocked: v.optional(
      v.pipe(
        v.array(blockSchema),
        v.description(
          'What blocks the account, each with its own end; empty exactly when it is routable.',
        ),
      ),
    ),
    blockedUntil: v.optional(
      v.pipe(
        v.nullable(instantSchema),
        v.description(
          'When the account is expected back; null when it is routable, or nobody knows.',
        ),
      ),
    ),
    scoreComponents: v.optional(scoreComponentsSchema),
    scoreParts: v.optional(
      v.pipe(
        v.array(scorePartSchema),
        v.description(
          'Every component of the score, in their order; the points add up to it. Empty for a blocked account.',
        ),
      ),
    ),
    reasons: v.optional(v.array(v.string())),
    capacityWeight: v.pipe(unitsSchema, v.description('Plus units of a full window.')),
    quotaWindows: v.pipe(v.array(quotaWindowSchema), v.description('Starts with 5h and week.')),
    reclaimEligible: v.boolean(),
    reclaimWindow: v.optional(v.nullable(reclaimWindowSchema)),
  }),
  v.description('One account, how well it suits the next request, and why.'),
)

/** Answer of `/api/v1/recommendations`. */
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
    nextRoutableAt: v.optional(
      v.pipe(
        v.nullable(instantSchema),
        v.description(
          'When the next blocked account is expected back; null when none is, or nobody knows.',
        ),
      ),
    ),
    capacity: v.optional(poolCapacitySchema),
    items: v.pipe(
      v.array(recommendationItemSchema),
      v.description('Every account, routable ones first, best first.'),
    ),
  }),
  v.description('Accounts ranked for automatic selection.'),
)

/** A window of an account as wrappers see it. `percent` is what is left, null when unknown. */
export type QuotaWindow = v.InferOutput<typeof quotaWindowSchema>
/** One account with its score, its reasons and its windows. */
export type RecommendationItem = v.InferOutput<typeof recommendationItemSchema>
/** Answer of `/api/v1/recommendations`, best account first. */
export type Recommendations = v.InferOutput<typeof recommendationsSchema>

/** Version of the wrapper-facing contract. */
const CONTRACT_VERSION = '1.1'

/** The rules that block an account, as they are named on the wire. */
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
    source: {
      kind: snapshot.source,
      text: snapshotSourceText(snapshot, text),
      gatewayOk: snapshot.gatewayUp === true,
    },
    routingPolicy: { scoreMax: 100, capacityWeightUnit: 'plus', hardBlocks: [...HARD_BLOCKS] },
    summary: rankingSummary(snapshot),
    routableCount: snapshot.routableCount,
    blockedCount: snapshot.blockedCount,
    topScore: snapshot.topScore,
    nextRoutableAt: snapshot.nextRoutableAt === null ? null : text.iso(snapshot.nextRoutableAt),
    capacity: poolCapacityView(snapshot),
    items,
  }
}

/** `15 routable · 6 blocked · top score 92`. */
export function rankingSummary(
  snapshot: Pick<Snapshot, 'routableCount' | 'blockedCount' | 'topScore'>,
): string {
  return `${countText(snapshot.routableCount)} routable · ${countText(snapshot.blockedCount)} blocked · top score ${snapshot.topScore}`
}

/** Time to the window's reset as text; null when it has none, and a plain word when the reset passed unproven. */
export function windowRemainingText(window: EvaluatedWindow, now: EpochMs): string | null {
  if (isRolledOver(window)) return 'reset, unconfirmed'
  const seconds = secondsUntil(resetAtOf(window), now)
  return seconds === null ? null : durationText(seconds)
}

/** Quota left as text: `74%`, `unknown` without a reading, `–` where the plan has no such window. */
export function windowPercentText(window: EvaluatedWindow): string {
  if (window.state === 'unknown') return 'unknown'
  return window.state === 'absent' ? '–' : percentText(window.percent)
}

/** Picked field by field, so that nothing else can ever ride along. */
export function accountSelector({
  selector,
}: EvaluatedAccount): v.InferOutput<typeof accountSelectorSchema> {
  return {
    authName: selector.authName,
    authIndex: selector.authIndex,
    accountKey: selector.accountKey,
  }
}

function recommendationItem(
  account: EvaluatedAccount,
  now: EpochMs,
  text: Zone,
): RecommendationItem {
  const detail = resetsText(account.windows, now, text)
  const parts = scoreParts(account, now)
  const until = account.routable ? null : account.status.until
  return {
    selector: accountSelector(account),
    authIndex: account.selector.authIndex,
    accountKey: account.selector.accountKey,
    planKind: account.plan,
    tone: account.status.tone,
    title: account.title,
    badge: planLabel(account.plan),
    summary: [statusLabel(account.status, now, text), ...account.windows.map(shortWindowText)].join(
      ' · ',
    ),
    ...(detail === '' ? {} : { detail }),
    note: statusAdvice(account, now, text),
    routingScore: account.score,
    routingEligible: account.routable,
    routingBlockedReasons: [...account.blockedReasons],
    blocked: blocksOf(account).map((block) => ({
      slug: block.slug,
      until: block.until === null ? null : text.iso(block.until),
      text: blockedText(block.slug),
    })),
    blockedUntil: until === null ? null : text.iso(until),
    scoreComponents: { ...account.scoreComponents },
    scoreParts: parts,
    reasons: reasonsIn(parts),
    capacityWeight: account.capacityWeight,
    quotaWindows: account.windows.map((window) => quotaWindow(window, now, text)),
    reclaimEligible: account.reclaim !== null,
    reclaimWindow:
      account.reclaim === null
        ? null
        : { ...account.reclaim, label: windowLabel(account.reclaim.id) },
  }
}

function quotaWindow(window: EvaluatedWindow, now: EpochMs, text: Zone): QuotaWindow {
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
    rolledOver: isRolledOver(window),
    origin: window.state === 'unknown' ? null : window.origin,
    sampledAt: window.state === 'unknown' ? null : text.iso(window.sampledAt),
  }
}

/** The reset has passed without a newer reading: full, but unproven. */
export function isRolledOver(window: EvaluatedWindow): boolean {
  return window.state === 'known' && window.rolledOverAt !== null
}

function shortWindowText(window: EvaluatedWindow): string {
  return `${windowLabel(window.id)} ${windowPercentText(window)}`
}

function resetsText(windows: readonly EvaluatedWindow[], now: EpochMs, text: Zone): string {
  return windows
    .flatMap((window) => {
      const resetAt = resetAtOf(window)
      if (resetAt === null) return []
      return [
        `${windowLabel(window.id)} resets ${text.whenText(resetAt, now)}, in ${windowRemainingText(window, now)}`,
      ]
    })
    .join(' · ')
}
