import {
  type EpochMs,
  type EvaluatedAccount,
  type QuotaWindow as EvaluatedWindow,
  resetAtOf,
  type ScoreComponents,
  type Snapshot,
} from '@svc/core'
import { blocksOf, isNotStarted, isPresent, scoreMaximaOf } from '@svc/core/account'
import { providerRowOf } from '@svc/core/service'
import * as v from 'valibot'
import { causeWord } from '../messages/names/names.ts'
import { reasonsIn, scoreComponentIds, scoreParts } from '../messages/score.ts'
import { statusAdvice, statusLabel } from '../messages/statuses.ts'
import type { Wording } from '../messages/wording.ts'
import { bankedResetsSchema, bankedResetsView } from './banked-resets.ts'
import { blockedModelsSchema, blockedModelsView, capacityUnitSchema } from './provider-pools.ts'
import {
  labelOfWindow,
  quotaWindowSchema,
  quotaWindowView,
  reclaimWindowSchema,
  windowPercentText,
  windowRemainingText,
} from './quota-window.ts'
import { placeEntries, placesIn } from './upstreams.ts'
import {
  accountSelector,
  accountSelectorSchema,
  blockSlugSchema,
  countSchema,
  described,
  instantSchema,
  optional,
  scoreSchema,
  toneSchema,
  unitsSchema,
} from './wire-schema.ts'

const MAXIMA = scoreMaximaOf()
const pointsSchema = (max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(max))

export const scoreComponentsSchema = v.object(
  Object.fromEntries(scoreComponentIds.map((id) => [id, pointsSchema(MAXIMA[id])])) as Record<
    keyof ScoreComponents,
    ReturnType<typeof pointsSchema>
  >,
)

const scorePartSchema = described(
  v.object({
    id: v.picklist(scoreComponentIds),
    points: countSchema,
    max: described(countSchema, 'Maximum points of this component.'),
    reason: optional(v.string(), 'Reason for the points; omitted if there are no points.'),
  }),
  'One component of a routing score.',
)

const blockSchema = described(
  v.object({
    slug: described(blockSlugSchema, 'Slug of the reason, as in `routingBlockedReasons`.'),
    until: described(v.nullable(instantSchema), 'End of the block; null if unknown.'),
    text: v.string(),
  }),
  'One reason why an account is blocked.',
)

export const recommendationItemSchema = described(
  v.object({
    selector: accountSelectorSchema,
    authIndex: v.string(),
    accountKey: v.string(),
    ...placeEntries,
    planKind: v.string(),
    provider: optional(v.string(), 'Provider of the account, for example `codex`.'),
    tone: v.optional(toneSchema),
    title: described(v.string(), 'Label of the account; may be an e-mail address.'),
    badge: described(v.string(), 'Display name of the plan.'),
    summary: v.string(),
    detail: v.optional(v.string()),
    note: v.optional(v.string()),
    routingScore: scoreSchema,
    routingEligible: v.boolean(),
    routingBlockedReasons: described(
      v.array(blockSlugSchema),
      'Stable slugs of the reasons why the account is blocked; empty if and only if it is routable.',
    ),
    blocked: optional(
      v.array(blockSchema),
      'Reasons why the account is blocked, each with its end; empty if and only if it is routable.',
    ),
    blockedUntil: optional(
      v.nullable(instantSchema),
      'Time the account is expected back; null if it is routable or the time is unknown.',
    ),
    priority: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.description(
          'Routing priority at the proxy, which uses the highest first; omitted if none is set.',
        ),
      ),
    ),
    scoreComponents: v.optional(scoreComponentsSchema),
    scoreParts: optional(
      v.array(scorePartSchema),
      'Components of the score, in order; their points add up to it. Empty for a blocked account.',
    ),
    reasons: v.optional(v.array(v.string())),
    capacityWeight: described(unitsSchema, 'Units of one full window.'),
    capacityWeightUnit: optional(
      capacityUnitSchema,
      'Unit of `capacityWeight`; omitted for `plus`.',
    ),
    quotaWindows: described(
      v.array(quotaWindowSchema),
      'Windows of the account, starting with `5h` and `week`.',
    ),
    scopedWindows: optional(
      v.array(quotaWindowSchema),
      'Windows of a model or feature; they affect neither routing nor capacity. Omitted if there are none.',
    ),
    blockedModels: blockedModelsSchema,
    bankedResets: bankedResetsSchema,
    reclaimEligible: v.boolean(),
    reclaimWindow: v.optional(v.nullable(reclaimWindowSchema)),
  }),
  'One account with its score and the reasons for it.',
)

/** One account with its score, its reasons and its windows. */
export type RecommendationItem = v.InferOutput<typeof recommendationItemSchema>
/** Creates the function that describes each account of a snapshot, with its proxies if there are several. */
export function recommendationItemsIn(
  snapshot: Snapshot,
  text: Wording,
): (account: EvaluatedAccount) => RecommendationItem {
  const placeOf = placesIn(snapshot)
  return (account) =>
    Object.assign(recommendationItemView(account, snapshot.evaluatedAt, text), placeOf(account))
}

export function recommendationItemView(
  account: EvaluatedAccount,
  now: EpochMs,
  text: Wording,
): RecommendationItem {
  const told = toldWindows(account)
  const detail = resetsText(told, account, now, text)
  const parts = scoreParts(account, now, text)
  const until = account.routable ? null : account.status.until
  return {
    selector: accountSelector(account),
    authIndex: account.selector.authIndex,
    accountKey: account.selector.accountKey,
    planKind: account.plan,
    provider: account.account.provider,
    tone: account.status.tone,
    title: account.title,
    badge: text.words.planName(account.plan, account.planName),
    summary: [statusLabel(account, text), ...windowTexts(told, text)].join(' · '),
    detail: detail === '' ? undefined : detail,
    note: statusAdvice(account, now, text),
    routingScore: account.score,
    routingEligible: account.routable,
    routingBlockedReasons: [...account.blockedReasons],
    blocked: blocksOf(account).map((block) => ({
      slug: block.slug,
      until: block.until === null ? null : text.iso(block.until),
      text: causeWord(block.slug, account.deactivated, text.words.statuses),
    })),
    blockedUntil: until === null ? null : text.iso(until),
    priority: account.account.priority ?? undefined,
    scoreComponents: { ...account.scoreComponents },
    scoreParts: parts,
    reasons: reasonsIn(parts),
    capacityWeight: account.capacityWeight,
    capacityWeightUnit: unitBesidePlus(account),
    quotaWindows: account.windows.map((window) => quotaWindowView(window, now, text)),
    scopedWindows:
      account.scopedWindows.length === 0
        ? undefined
        : account.scopedWindows.map((window) => quotaWindowView(window, now, text)),
    blockedModels: blockedModelsView(account, text),
    bankedResets: bankedResetsView(account, text),
    reclaimEligible: account.reclaim !== null,
    reclaimWindow:
      account.reclaim === null
        ? null
        : { ...account.reclaim, label: text.words.windowLabel(account.reclaim.id) },
  }
}

function unitBesidePlus({ account }: EvaluatedAccount) {
  const { unit } = providerRowOf(account.provider)
  return unit === 'plus' ? undefined : unit
}

function windowTexts(windows: readonly EvaluatedWindow[], text: Wording): readonly string[] {
  return windows.length === 0
    ? [text.words.pool.quotaNotReported]
    : windows.map((window) => `${labelOfWindow(window, text)} ${windowPercentText(window, text)}`)
}

/**
 * Windows of the account to mention. Omits absent ones at a provider whose accounts differ in their windows. Includes a scoped window if it is used
 * up and named by the vendor, or if the account has no other window.
 */
function toldWindows({
  account: { provider },
  windows,
  scopedWindows,
}: EvaluatedAccount): readonly EvaluatedWindow[] {
  const showsAbsent = providerRowOf(provider).furtherWindows.length === 0
  const own = windows.filter(
    (window) => isPresent(window) || (showsAbsent && window.state === 'absent'),
  )
  if (own.length === 0) return scopedWindows
  const usedUp = scopedWindows.filter(
    ({ state, label }) => state === 'exhausted' && label !== undefined,
  )
  return usedUp.length === 0 ? own : [...own, ...usedUp]
}

function resetsText(
  windows: readonly EvaluatedWindow[],
  { account: { lastSuccessAt } }: EvaluatedAccount,
  now: EpochMs,
  text: Wording,
): string {
  const resets: string[] = []
  for (const window of windows) {
    const resetAt = resetAtOf(window)
    if (resetAt === null) continue
    if (isNotStarted(window, lastSuccessAt)) {
      resets.push(text.words.pool.windowNotStarted(labelOfWindow(window, text)))
      continue
    }
    resets.push(
      text.words.pool.windowReset({
        window: labelOfWindow(window, text),
        when: text.whenText(resetAt, now),
        remaining: windowRemainingText(window, now, text) ?? '',
      }),
    )
  }
  return resets.join(' · ')
}
