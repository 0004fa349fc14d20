import {
  type DisabledProbe,
  type EpochMs,
  type EvaluatedAccount,
  instantToIso,
  planKindOf,
  type Snapshot,
} from '@svc/core'
import { DEFAULT_MULTIPLIER, notStartedWindowOf } from '@svc/core/account'
import { providerByKeyOf, sharedWindowsOf } from '@svc/core/pool'
import { ASSUMED_PROVIDER } from '@svc/core/service'
import { breakdownOf, type UsageMeasures } from '@svc/core/usage'
import * as v from 'valibot'
import type { Catalogue } from '../messages/en/catalogue.ts'
import { reasonsIn, scoreParts } from '../messages/score.ts'
import { noUsage, usageLine } from '../messages/usage-text.ts'
import type { Wording } from '../messages/wording.ts'
import {
  poolStatus,
  poolStatusSchema,
  subscriptionEntries,
  subscriptionIn,
} from './account-status.ts'
import { capacitySchema, capacityView, nextReturnSchema, nextReturnView } from './capacity.ts'
import { changeItems, healthItemSchema } from './health.ts'
import { blockedModelsSchema, blockedModelsView, sharedBySchema } from './provider-pools.ts'
import { poolWindow, poolWindowSchema } from './quota-window.ts'
import { scoreComponentsSchema } from './recommendation-item.ts'
import { resetsTab, resetsTabSchema } from './resets-tab.ts'
import { usageBreakdownView } from './stats-series.ts'
import { usageBreakdownSchema } from './stats-series-schema.ts'
import { trendsSchema, trendsView } from './trends.ts'
import {
  upstreamIn,
  upstreamSchema,
  watchedUpstreams,
  watchedUpstreamsSchema,
} from './upstreams.ts'
import type { UsageContext } from './view-context.ts'
import {
  accountSelector,
  accountSelectorSchema,
  countSchema,
  described,
  instantSchema,
  isoOrNull,
  optional,
  originSchema,
  percentSchema,
  scoreSchema,
  secondsSchema,
} from './wire-schema.ts'

export const disabledProbeSchema = described(
  v.object({
    state: v.picklist(['unknown', 'ok', 'exhausted', 'auth_invalid', 'error']),
    probedAt: v.nullable(instantSchema),
    planKind: v.nullable(v.string()),
    badge: optional(v.string(), 'Display name of the plan; omitted if unknown.'),
    httpStatus: v.nullable(v.pipe(v.number(), v.integer())),
    error: v.nullable(v.string()),
    windows: v.array(
      v.object({
        id: v.string(),
        label: v.string(),
        percent: percentSchema,
        resetAt: v.nullable(instantSchema),
      }),
    ),
  }),
  'Last diagnostic probe of an account that the operator disabled; `unknown` before the first.',
)

export const poolAccountSchema = described(
  v.object({
    selector: accountSelectorSchema,
    upstream: upstreamSchema,
    title: v.string(),
    provider: optional(v.string(), 'Provider of the account; omitted for `codex`.'),
    planKind: v.string(),
    badge: v.string(),
    windows: v.array(poolWindowSchema),
    scopedWindows: optional(
      v.array(poolWindowSchema),
      'Windows of a model or feature; they affect neither routing nor capacity.',
    ),
    blockedModels: blockedModelsSchema,
    score: scoreSchema,
    scoreComponents: optional(
      scoreComponentsSchema,
      'Components of the score; omitted for a blocked account, where all are 0.',
    ),
    scoreReasons: v.array(v.string()),
    status: poolStatusSchema,
    counted: optional(
      v.boolean(),
      'False if another auth file of the same account is already counted; omitted otherwise.',
    ),
    blockedReasons: v.array(v.string()),
    quotaClass: v.picklist(['primary', 'recovery', 'discovery', 'none']),
    sampleEverySeconds: optional(
      v.nullable(secondsSchema),
      'Planned interval between two readings of the account, in seconds; null if none is planned, omitted if equal to that of the pool.',
    ),
    lastSample: v.nullable(
      v.object({
        at: instantSchema,
        origin: originSchema,
        ageSeconds: secondsSchema,
      }),
    ),
    usage: described(
      v.nullable(v.object({ requests: countSchema, tokens: countSchema, failed: countSchema })),
      'Usage of the last 24 h; null if unknown, or if another auth file of the account ranks higher and shows it.',
    ),
    ...subscriptionEntries,
    bankedResets: optional(
      v.object({ count: countSchema, expiresAt: v.array(instantSchema) }),
      "Resets that the account's owner may spend, and their known expiries, soonest first; omitted if there are none or the vendor does not report them.",
    ),
    disabledProbe: v.optional(disabledProbeSchema),
  }),
  'One account as the dashboard shows it.',
)

export const statusTabsSchema = described(
  v.object({
    pool: v.object({
      windows: v.array(
        v.object({
          id: v.string(),
          label: v.string(),
          ...capacitySchema.entries,
          exhaustedCount: countSchema,
          sharedBy: sharedBySchema,
          nextRecovery: v.nullable(nextReturnSchema),
        }),
      ),
      sampleEverySeconds: optional(
        secondsSchema,
        'Planned interval between two readings of an account that is not waiting, in seconds.',
      ),
      weeklyToFiveHour: optional(
        v.nullable(v.number()),
        `Percent of the 5h window that one percent of the weekly window is worth; what is left of the week caps the 5h window by this ratio. Null if there is no cap; omitted if it is the default of ${DEFAULT_MULTIPLIER}.`,
      ),
      accounts: v.array(poolAccountSchema),
    }),
    resets: resetsTabSchema,
    trends: trendsSchema,
    usage: v.object({
      available: v.boolean(),
      windowSeconds: secondsSchema,
      summary: v.string(),
      byAccount: usageBreakdownSchema,
      byModel: usageBreakdownSchema,
    }),
    audit: v.object({ changes: v.array(healthItemSchema) }),
    upstreams: watchedUpstreamsSchema,
  }),
  'Details for the dashboard; not part of the stable contract.',
)

/** The tabs of the status: pool, resets, trends, usage, audit. */
export type StatusTabs = v.InferOutput<typeof statusTabsSchema>
type PoolAccount = v.InferOutput<typeof poolAccountSchema>
type WireDisabledProbe = v.InferOutput<typeof disabledProbeSchema>

/** The detailed part of `/api/v1/status`. */
export function statusTabs(snapshot: Snapshot, context: UsageContext): StatusTabs {
  const { text, usage, trends } = context
  const { multiplier } = snapshot
  const shared = sharedWindowsOf(snapshot)
  const lastDay = usage.kind === 'read' ? usage.summary.lastDay : null
  return {
    pool: {
      windows: [...Object.values(snapshot.capacity), ...snapshot.furtherCapacity].map(
        (capacity) => ({
          id: capacity.windowId,
          label: text.words.windowLabel(capacity.windowId),
          ...capacityView(capacity, snapshot, text),
          exhaustedCount: capacity.exhaustedCount,
          sharedBy: shared.get(capacity.windowId)?.slice(),
          nextRecovery: nextReturnView(snapshot, [capacity], text),
        }),
      ),
      sampleEverySeconds: Math.round(snapshot.sampleEverySeconds),
      ...(multiplier === DEFAULT_MULTIPLIER
        ? {}
        : { weeklyToFiveHour: multiplier === 'off' ? null : multiplier }),
      accounts: snapshot.accounts.map(poolAccountView(snapshot, context)),
    },
    resets: resetsTab(snapshot, text),
    trends: trendsView(snapshot, trends, text),
    usage: {
      available: lastDay !== null,
      windowSeconds: USAGE_SECONDS,
      summary: lastDay === null ? text.words.usage.noData : usageLine(lastDay, '24h', text.words),
      byAccount: usageBreakdownView(
        breakdownOf(lastDay?.accounts ?? [], 'account', TOP_USAGE),
        text.words,
        null,
        { listed: providerByKeyOf(snapshot) },
      ),
      byModel: usageBreakdownView(
        breakdownOf(lastDay?.models ?? [], 'model', TOP_USAGE),
        text.words,
      ),
    },
    audit: { changes: changeItems(snapshot, text) },
    ...watchedUpstreams(snapshot),
  }
}

const USAGE_SECONDS = 86_400
/** Usage shown in the tabs: the 20 members with the most tokens. */
const TOP_USAGE = { metric: 'tokens', top: 20 } as const

function poolAccountView(snapshot: Snapshot, { text, usage }: UsageContext) {
  const { evaluatedAt: now, sampleEverySeconds: usualSeconds } = snapshot
  const rows = usage.kind === 'read' ? usage.summary.lastDay.accounts : null
  const usageByKey = rows === null ? null : new Map(rows.map((row) => [row.id, row]))
  const context = { now, text, usualSeconds, usageByKey, upstreamOf: upstreamIn(snapshot) }
  return (account: EvaluatedAccount) => poolAccount(account, context)
}

interface AccountContext {
  readonly now: EpochMs
  readonly text: Wording
  readonly usualSeconds: number
  readonly usageByKey: ReadonlyMap<string, UsageMeasures> | null
  readonly upstreamOf: ReturnType<typeof upstreamIn>
}

/** One row. Not a closure of a snapshot, because each of those would be optimised anew. */
function poolAccount(
  account: EvaluatedAccount,
  { now, text, usualSeconds, usageByKey, upstreamOf }: AccountContext,
): PoolAccount {
  const { lastSample, windows } = account
  const { lastSuccessAt } = account.account
  const notStartedId = notStartedWindowOf({ windows, lastSuccessAt })
  const { paidUntil, subscription } = subscriptionIn(account, now, text)
  // Left-out members are undefined, because objects made by spreading are slow to make and to stringify.
  return {
    selector: accountSelector(account),
    title: account.title,
    provider: account.account.provider === ASSUMED_PROVIDER ? undefined : account.account.provider,
    planKind: account.plan,
    badge: text.words.planName(account.plan, account.planName),
    windows: account.windows.map((window) =>
      poolWindow(window, account, { now, text, notStartedId }),
    ),
    scopedWindows:
      account.scopedWindows.length === 0
        ? undefined
        : account.scopedWindows.map((window) =>
            poolWindow(window, account, { now, text, notStartedId: null }),
          ),
    blockedModels: blockedModelsView(account, text),
    score: account.score,
    scoreComponents: account.routable ? { ...account.scoreComponents } : undefined,
    scoreReasons: reasonsIn(scoreParts(account, now, text)),
    status: poolStatus(account, text),
    counted: account.countedInCapacity ? undefined : false,
    blockedReasons: [...account.blockedReasons],
    quotaClass: account.quotaClass,
    sampleEverySeconds:
      account.sampleEverySeconds === usualSeconds
        ? undefined
        : roundedSeconds(account.sampleEverySeconds),
    lastSample:
      lastSample === null
        ? null
        : {
            at: text.iso(lastSample.at),
            origin: lastSample.origin,
            ageSeconds: Math.max(0, Math.floor((now - lastSample.at) / 1000)),
          },
    // Usage is counted by account; showing it with each of its files would repeat it.
    usage:
      usageByKey === null || !account.countedInCapacity
        ? null
        : usageOf(usageByKey.get(account.selector.accountKey) ?? noUsage),
    paidUntil,
    subscription,
    bankedResets: heldResets(account, text),
    disabledProbe: account.blockedReasons.includes('operator_disabled')
      ? disabledProbe(account, text.words)
      : undefined,
    upstream: upstreamOf(account).upstream,
  }
}

function heldResets(
  { bankedResets }: EvaluatedAccount,
  text: Wording,
): PoolAccount['bankedResets'] {
  if (bankedResets === undefined || bankedResets.count === 0) return undefined
  return { count: bankedResets.count, expiresAt: bankedResets.expiresAt.map(text.iso) }
}

function roundedSeconds(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds)
}

function usageOf({ requests, tokens, failed }: UsageMeasures): NonNullable<PoolAccount['usage']> {
  return { requests, tokens, failed }
}

function disabledProbe(evaluated: EvaluatedAccount, words: Catalogue): WireDisabledProbe {
  const { account, disabledProbe: probe } = evaluated
  if (probe.state === 'unknown')
    return {
      state: 'unknown',
      probedAt: null,
      planKind: null,
      httpStatus: null,
      error: null,
      windows: [],
    }
  const plan = probe.sample?.plan ?? null
  const planKind = plan === null ? null : planKindOf({ provider: account.provider, name: plan })
  return {
    state: probe.state,
    probedAt: instantToIso(probe.probedAt),
    planKind,
    badge: planKind === null ? undefined : words.planName(planKind, plan),
    httpStatus: probe.httpStatus,
    error: probeError(probe.state, words),
    windows: (probe.sample?.windows ?? []).map(({ id, percent, resetAt }) => ({
      id,
      label: words.windowLabel(id),
      percent,
      resetAt: isoOrNull(resetAt),
    })),
  }
}

function probeError(
  state: Exclude<DisabledProbe['state'], 'unknown'>,
  { queries }: Catalogue,
): string | null {
  return state === 'ok' || state === 'exhausted' ? null : queries.disabledProbe[state]
}
