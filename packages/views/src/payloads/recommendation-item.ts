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
import { causeWord } from '../messages/names/state-word.ts'
import { reasonsIn, scoreComponentIds, scoreParts } from '../messages/score.ts'
import { statusAdvice, statusLabel } from '../messages/statuses.ts'
import type { Wording } from '../messages/wording.ts'
import { accountSelector, accountSelectorSchema } from './account-selector.ts'
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
  blockSlugSchema,
  countSchema,
  described,
  instantSchema,
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
    max: described(countSchema, 'The most points this component can have.'),
    reason: v.optional(described(v.string(), 'What earned the points; left out without points.')),
  }),
  'One component of a routing score.',
)

const blockSchema = described(
  v.object({
    slug: described(blockSlugSchema, 'As in routingBlockedReasons.'),
    until: described(v.nullable(instantSchema), 'When this ends; null where nobody knows.'),
    text: v.string(),
  }),
  'One thing that keeps an account from being used.',
)

export const recommendationItemSchema = described(
  v.object({
    selector: accountSelectorSchema,
    authIndex: v.string(),
    accountKey: v.string(),
    ...placeEntries,
    planKind: v.string(),
    provider: v.optional(described(v.string(), 'Provider of the account, as codex.')),
    tone: v.optional(toneSchema),
    title: described(v.string(), 'Account label; may be an e-mail address.'),
    badge: described(v.string(), 'The plan as shown.'),
    summary: v.string(),
    detail: v.optional(v.string()),
    note: v.optional(v.string()),
    routingScore: scoreSchema,
    routingEligible: v.boolean(),
    routingBlockedReasons: described(
      v.array(blockSlugSchema),
      'Stable slugs; empty exactly when the account is routable.',
    ),
    blocked: v.optional(
      described(
        v.array(blockSchema),
        'What blocks the account, each with its own end; empty exactly when it is routable.',
      ),
    ),
    blockedUntil: v.optional(
      described(
        v.nullable(instantSchema),
        'When the account is expected back; null when it is routable, or nobody knows.',
      ),
    ),
    priority: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.description(
          'Routing priority at the proxy, which uses the highest first; left out if none is set.',
        ),
      ),
    ),
    scoreComponents: v.optional(scoreComponentsSchema),
    scoreParts: v.optional(
      described(
        v.array(scorePartSchema),
        'Every component of the score, in their order; the points add up to it. Empty for a blocked account.',
      ),
    ),
    reasons: v.optional(v.array(v.string())),
    capacityWeight: described(unitsSchema, 'Units of a full window.'),
    capacityWeightUnit: v.optional(described(capacityUnitSchema, 'Left out: plus.')),
    quotaWindows: described(v.array(quotaWindowSchema), 'Starts with 5h and week.'),
    scopedWindows: v.optional(
      described(
        v.array(quotaWindowSchema),
        'Limits of a model or a feature; no part of routing or capacity. Left out where there are none.',
      ),
    ),
    blockedModels: blockedModelsSchema,
    reclaimEligible: v.boolean(),
    reclaimWindow: v.optional(v.nullable(reclaimWindowSchema)),
  }),
  'One account, how well it suits the next request, and why.',
)

/** One account with its score, its reasons and its windows. */
export type RecommendationItem = v.InferOutput<typeof recommendationItemSchema>
/** Creates the function that words each account of a snapshot, with its proxies if there are several. */
export function recommendationItemsIn(
  snapshot: Snapshot,
  text: Wording,
): (account: EvaluatedAccount) => RecommendationItem {
  const placeOf = placesIn(snapshot)
  return (account) =>
    Object.assign(recommendationItemView(account, snapshot.evaluatedAt, text), placeOf(account))
}

/** One account of the ranking in its wire form. */
export function recommendationItemView(
  account: EvaluatedAccount,
  now: EpochMs,
  text: Wording,
): RecommendationItem {
  const detail = resetsText(account, now, text)
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
    summary: [statusLabel(account, text), ...windowTexts(account, text)].join(' · '),
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

function windowTexts(account: EvaluatedAccount, text: Wording): readonly string[] {
  const windows = toldWindows(account)
  return windows.length === 0
    ? [text.words.pool.quotaNotReported]
    : windows.map((window) => `${labelOfWindow(window, text)} ${windowPercentText(window, text)}`)
}

/**
 * The windows worth mentioning: those of the account, without the ones it lacks at a provider whose accounts differ in their windows. Windows of another
 * scope are mentioned once they are used up, if the vendor names them, and where the account has no other.
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

function resetsText(account: EvaluatedAccount, now: EpochMs, text: Wording): string {
  const { lastSuccessAt } = account.account
  const resets: string[] = []
  for (const window of toldWindows(account)) {
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
