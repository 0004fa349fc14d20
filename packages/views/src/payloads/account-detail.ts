import type { EpochMs, Snapshot } from '@svc/core'
import type { PaidBack } from '@svc/core/money'
import { allAccountsOf } from '@svc/core/pool'
import type { UsageCounts, UsageMeasures } from '@svc/core/usage'
import * as v from 'valibot'
import { subscriptionEntries, subscriptionIn } from './account-status.ts'
import { bankedResetsSchema, bankedResetsView } from './banked-resets.ts'
import { costSchema, paidBackSchema, statedCost } from './cost.ts'
import { healthItemSchema, recentChangeItems } from './health.ts'
import { type NoCourseReason, noCourseReasonSchema, quotaCourseSchema } from './quota-course.ts'
import { recommendationItemSchema, recommendationItemsIn } from './recommendation-item.ts'
import { CONTRACT_VERSION } from './recommendations.ts'
import type { ViewContext } from './view-context.ts'
import { countSchema, described, instantSchema, isoOrNull, optional } from './wire-schema.ts'

const measuresSchema = v.nullable(
  v.object({ requests: countSchema, tokens: countSchema, failed: countSchema }),
)

/** Answer of `/api/v1/accounts/{accountKey}`. */
export const accountDetailSchema = described(
  v.object({
    contractVersion: v.string(),
    sampledAt: v.nullable(instantSchema),
    accountKey: v.string(),
    items: described(
      v.array(recommendationItemSchema),
      'Recommendation items of the account, one for each auth file at each proxy, best first; empty if the account is recorded but not listed.',
    ),
    ...subscriptionEntries,
    bankedResets: bankedResetsSchema,
    recentChanges: described(
      v.array(healthItemSchema),
      'Recent changes of the account as in `/api/v1/health`, newest first.',
    ),
    usage: described(
      v.object({
        available: v.boolean(),
        reason: noCourseReasonSchema,
        since: described(
          v.nullable(instantSchema),
          'Start of the recorded usage; earlier usage is not counted. Null if none is recorded.',
        ),
        lastDay: described(measuresSchema, 'Usage of the last 24 h; null unless available.'),
        lastWeek: described(measuresSchema, 'Usage of the last 7 days; null unless available.'),
        cost: optional(
          v.object({
            lastDay: v.nullable(costSchema),
            lastWeek: v.nullable(costSchema),
            lastMonth: v.nullable(costSchema),
          }),
          'Cost of the last 24 h, 7 days and 30 days; null for a period whose cost is unknown. Omitted without prices.',
        ),
      }),
      'Usage of the account through all proxies.',
    ),
    paidBack: described(
      v.nullable(paidBackSchema),
      "Usage at list prices compared with the price of the account's subscription; null unless own prices name the subscription.",
    ),
    quota: quotaCourseSchema,
  }),
  'Score, windows, recent changes, usage and quota history of one account.',
)

/** Answer of `/api/v1/accounts/{accountKey}`. */
export type AccountDetail = v.InferOutput<typeof accountDetailSchema>

/** Usage of one account. */
export interface AccountUsage {
  readonly since: EpochMs | null
  readonly lastDay: UsageCounts
  readonly lastWeek: UsageCounts
  /** Null without prices, or if the cost is unknown. */
  readonly lastMonth: UsageCounts | null
}

/** The answer of `/api/v1/accounts/{accountKey}` without the quota course. `usage`: the sums, or the reason they are missing. */
export function accountDetailView(
  snapshot: Snapshot,
  {
    accountKey,
    usage,
    paidBack,
  }: {
    readonly accountKey: string
    readonly usage: AccountUsage | NoCourseReason
    readonly paidBack: PaidBack | null
  },
  { text }: ViewContext,
): Omit<AccountDetail, 'quota'> {
  const files = allAccountsOf(snapshot).filter(({ selector }) => selector.accountKey === accountKey)
  const subscriptions = files.map((file) => subscriptionIn(file, snapshot.evaluatedAt, text))
  const { sampledAt } = snapshot
  return {
    contractVersion: CONTRACT_VERSION,
    sampledAt: sampledAt === null ? null : text.iso(sampledAt),
    accountKey,
    items: files.map(recommendationItemsIn(snapshot, text)),
    ...subscriptions.find(({ paidUntil }) => paidUntil !== undefined),
    paidBack,
    bankedResets: files[0] === undefined ? null : bankedResetsView(files[0], text),
    recentChanges: recentChangeItems(snapshot, text)
      .map(({ item }) => item)
      .filter(({ accountKeys }) => accountKeys?.includes(accountKey)),
    usage:
      typeof usage === 'string'
        ? { available: false, reason: usage, since: null, lastDay: null, lastWeek: null }
        : {
            available: true,
            reason: null,
            since: isoOrNull(usage.since),
            lastDay: measuresIn(usage.lastDay),
            lastWeek: measuresIn(usage.lastWeek),
            ...costsOf(usage),
          },
  }
}

function measuresIn({ requests, tokens, failed }: UsageCounts): UsageMeasures {
  return { requests, tokens, failed }
}

function costsOf(usage: AccountUsage): Pick<AccountDetail['usage'], 'cost'> {
  const [lastDay = null, lastWeek = null, lastMonth = null] = [
    usage.lastDay,
    usage.lastWeek,
    usage.lastMonth,
  ].map((counts) => (counts?.cost === undefined ? null : statedCost(counts.cost, counts.tokens)))
  const isUnknown = lastDay === null && lastWeek === null && lastMonth === null
  return isUnknown ? {} : { cost: { lastDay, lastWeek, lastMonth } }
}
