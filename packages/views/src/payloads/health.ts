import {
  type AccountStatusKind,
  type EpochMs,
  type EvaluatedAccount,
  instantToIso,
  type Snapshot,
  type Tone,
} from '@svc/core'
import type { HealthSource, OpenAction, UsageWayShown } from '@svc/core/health'
import {
  allAccountsOf,
  type ChangeDetail,
  type ChangeRow,
  changeRowsOf,
  unknownNamesIn,
} from '@svc/core/pool'
import { maskText, type OffReason, proxyGenerations } from '@svc/core/service'
import * as v from 'valibot'
import type { Catalogue } from '../messages/en/catalogue.ts'
import { actionWords, changeWords } from '../messages/health-words.ts'
import { snapshotSourceText, sourceWords } from '../messages/source-words.ts'
import type { Wording } from '../messages/wording.ts'
import { type AnswerContext, answerSchema, answerView } from './answer.ts'
import { bankedTotalSchema, bankedTotalView } from './banked-resets.ts'
import {
  firstRoundSchema,
  firstRoundView,
  poolCapacitySchema,
  poolCapacityView,
} from './capacity.ts'
import { messageTargetSchema, messageTargetView } from './notices.ts'
import { providerPoolsSchema, providerPoolsView } from './provider-pools.ts'
import { rankingSummary } from './recommendations.ts'
import {
  namedAt,
  readerSchema,
  schedulerView,
  snapshotsOfSources,
  upstreamIn,
  upstreamSchema,
} from './upstreams.ts'
import {
  countSchema,
  described,
  instantSchema,
  optional,
  slugSchema,
  toneSchema,
} from './wire-schema.ts'

export const healthItemSchema = described(
  v.object({
    kind: v.picklist([
      ...(['auth', 'quota', 'threshold', 'gateway', 'upstream', 'history', 'config'] as const),
      ...(['account', 'plan', 'status', 'benchmark', 'refresh', 'source'] as const),
    ]),
    code: optional(
      slugSchema,
      'Stable code of the action or change. For a source: `ok`, `degraded`, `pending`, `off`, or the code of its failure.',
    ),
    id: optional(
      v.string(),
      'Id of the item, unique within its list and stable across answers. For a source: its name.',
    ),
    upstream: upstreamSchema,
    accountKeys: optional(
      v.array(v.string()),
      'Keys of the affected accounts; empty if there are none or they are unknown.',
    ),
    affected: optional(
      v.array(
        v.object({
          provider: v.string(),
          count: described(countSchema, 'Number of affected accounts of this provider.'),
          accounts: described(
            v.array(
              v.object({
                accountKey: v.string(),
                authIndex: v.string(),
                upstream: upstreamSchema,
                title: v.string(),
              }),
            ),
            'First five of the affected accounts.',
          ),
        }),
      ),
      'Affected accounts by provider. If an action concerns the whole pool of a provider, its count is 0. Only in actions of `/health`, and omitted if no provider is concerned.',
    ),
    names: optional(
      v.array(v.string()),
      'User-chosen account names, other than e-mail addresses, that occur in the texts, so that a client can mask them; omitted if there are none.',
    ),
    since: optional(
      v.nullable(instantSchema),
      'Time at which this process first saw the state. For combined changes, the time of the oldest; null for a single change.',
    ),
    tone: toneSchema,
    title: v.string(),
    badge: v.string(),
    summary: described(v.string(), 'The problem, state or change in one sentence.'),
    detail: v.optional(v.string()),
    note: optional(v.string(), 'Recommended remedy; omitted if there is none.'),
    address: optional(
      v.string(),
      'Address at which the monitor tries to reach the failing source; omitted if it has no single address.',
    ),
    unknownNames: optional(
      v.array(v.object({ provider: v.string(), count: countSchema, names: v.array(v.string()) })),
      'Names (never values) of windows, flags, limits and fields that this version does not know, by provider; only in the source `accounts`, and omitted if there are none.',
    ),
    pageUrl: optional(
      v.string(),
      'URL of the page of the proxy where a login can be renewed; only in the source `accounts`, and never in demo mode.',
    ),
    generation: optional(
      v.picklist(proxyGenerations),
      'Generation of the management API of the proxy: `v8` since v8.0.0, `v0` before; only in the source `accounts`, and omitted until the proxy has returned an account list.',
    ),
    at: optional(
      instantSchema,
      'Time a recent change was observed; omitted for actions and sources.',
    ),
    timeText: v.optional(v.string()),
    count: optional(
      countSchema,
      'Number of back-and-forth changes that this item combines (it shows the newest); omitted if 1.',
    ),
    countText: v.optional(v.string()),
    sign: optional(
      v.picklist(['wait']),
      'Marker shown instead of the tone: `wait` if the account recovers without help; omitted otherwise.',
    ),
    reason: optional(
      v.picklist([
        'no_store',
        'no_key',
        'not_configured',
        'switched_off',
        'standby',
        'asked_elsewhere',
      ] as const satisfies readonly OffReason[]),
      'Reason why a source is off; omitted otherwise.',
    ),
    usageWay: optional(
      v.picklist([
        'legacy',
        'http',
        'lpop',
        'subscribe',
        'shared',
      ] as const satisfies readonly UsageWayShown[]),
      'How usage records are received: tree, queue (over HTTP or a standing connection) or subscription; `shared` means a subscription chosen because another program seems to subscribe. Only in the source `usage` while it is read.',
    ),
  }),
  'An action, a source or a recent change.',
)

/** Answer of `/api/v1/health`. */
export const healthSchema = described(
  v.object({
    title: v.string(),
    state: toneSchema,
    summary: v.string(),
    answer: v.optional(answerSchema),
    pill: v.string(),
    actionsTitle: v.optional(v.string()),
    sourcesTitle: v.optional(v.string()),
    recentChangesTitle: v.optional(v.string()),
    actions: described(
      v.array(healthItemSchema),
      'Actions that an operator must take, worst first.',
    ),
    sources: v.array(healthItemSchema),
    recentChanges: described(v.array(healthItemSchema), 'Recent changes, newest first.'),
    messages: optional(
      v.array(messageTargetSchema),
      'Notification targets, in the order of the configuration; omitted if there are none.',
    ),
    readers: optional(
      v.array(readerSchema),
      'Clients that poll the ranking; omitted before the first request.',
    ),
    actionCount: countSchema,
    sourceCounts: v.optional(
      v.object({ good: countSchema, warn: countSchema, bad: countSchema, unknown: countSchema }),
    ),
    sampledAt: v.optional(instantSchema),
    source: v.optional(v.string()),
    sourceText: v.optional(v.string()),
    provider: v.optional(v.string()),
    capacity: v.optional(poolCapacitySchema),
    pools: v.optional(providerPoolsSchema),
    bankedResets: bankedTotalSchema,
    firstRound: v.optional(firstRoundSchema),
    recommendations: v.optional(
      v.object({
        summary: v.string(),
        routableCount: countSchema,
        blockedCount: countSchema,
        topScore: countSchema,
      }),
    ),
  }),
  'Operational health: actions, sources and recent changes.',
)

/** One action, source or change of the health payload. */
export type HealthItem = v.InferOutput<typeof healthItemSchema>
/** Answer of `/api/v1/health`. */
export type Health = v.InferOutput<typeof healthSchema>

/** The answer of `/api/v1/health`. */
export function healthView(snapshot: Snapshot, context: AnswerContext): Health {
  const { text } = context
  const { health } = snapshot
  const { health: headings } = text.words
  const ofSource = snapshotsOfSources(snapshot)
  const affected = createAffected(snapshot)
  const actions = health.actions.map((action) => ({
    ...actionItem(action, snapshot.evaluatedAt, text),
    ...affected(action),
  }))
  return {
    title: headings.title,
    state: health.state,
    summary: summaryOf(health.state, actions, headings),
    answer: answerView(snapshot, context),
    pill: actions.length > 0 ? headings.actionCount(actions.length) : headings.states[health.state],
    actionsTitle: headings.actions,
    sourcesTitle: headings.sources,
    recentChangesTitle: headings.recentChanges,
    actions,
    sources: health.sources.map((source) => ({
      kind: 'source',
      code: sourceCode(source),
      id: namedAt(source.id, '@', source.upstream),
      upstream: source.upstream,
      accountKeys: [],
      since: instantToIso(source.since),
      tone: source.tone,
      ...titledAt(source.upstream, sourceWords(source, ofSource(source), text)),
      reason: source.outcome.kind === 'off' ? source.outcome.reason : undefined,
      usageWay: source.usageWay,
      address: source.address,
      pageUrl: source.pageUrl,
      generation: source.generation,
      ...(source.id === 'accounts' ? unknownNamesOf(ofSource(source)) : {}),
    })),
    recentChanges: recentChangeItems(snapshot, text).map(({ item }) => item),
    messages: snapshot.notify?.map((one) => messageTargetView(one, snapshot.evaluatedAt, text)),
    readers: snapshot.schedulers?.map((one) => schedulerView(one, snapshot.evaluatedAt, text)),
    actionCount: actions.length,
    sourceCounts: countTones(health.sources.map((source) => source.tone)),
    ...(snapshot.sampledAt === null ? {} : { sampledAt: instantToIso(snapshot.sampledAt) }),
    source: snapshot.source,
    sourceText: snapshotSourceText(snapshot, text),
    provider: snapshot.provider,
    ...(snapshot.unit === 'mixed' ? {} : { capacity: poolCapacityView(snapshot) }),
    pools: providerPoolsView(snapshot, context),
    bankedResets: bankedTotalView(allAccountsOf(snapshot)),
    firstRound: firstRoundView(snapshot, text),
    recommendations: {
      summary: rankingSummary(snapshot, text),
      routableCount: snapshot.routableCount,
      blockedCount: snapshot.blockedCount,
      topScore: snapshot.topScore,
    },
  }
}

function unknownNamesOf(snapshot: Snapshot): Pick<HealthItem, 'unknownNames'> {
  const unknown = unknownNamesIn(allAccountsOf(snapshot))
  return unknown.length === 0
    ? {}
    : { unknownNames: unknown.map((one) => ({ ...one, names: [...one.names] })) }
}

/** An action of health, worded as of `now`. */
export function actionItem(
  { id, tone, action, since, upstream }: OpenAction,
  now: EpochMs,
  text: Wording,
): HealthItem {
  return {
    code: action.code,
    id,
    ...(upstream === undefined ? {} : { upstream }),
    accountKeys:
      'accounts' in action ? distinct(action.accounts.map(({ accountKey }) => accountKey)) : [],
    ...chosenNamesIn(action),
    since: instantToIso(since),
    ...titledAt(upstream, actionWords(action, now, text)),
    tone,
  }
}

/** Maximum number of affected accounts that are listed for each provider. */
const AFFECTED_MAX = 5

/** Creates a function that groups the accounts of an action by provider. An account with several files is listed by its best one. */
function createAffected(snapshot: Snapshot) {
  const byKey = new Map<string, EvaluatedAccount>()
  if (snapshot.health.actions.some(({ action }) => 'accounts' in action))
    for (const account of allAccountsOf(snapshot)) {
      const { accountKey } = account.selector
      if (!byKey.has(accountKey)) byKey.set(accountKey, account)
    }
  const upstreamOf = upstreamIn(snapshot)
  const view = (account: EvaluatedAccount) => {
    const { accountKey, authIndex } = account.selector
    return { accountKey, authIndex, ...upstreamOf(account), title: account.title }
  }
  return ({ action }: OpenAction): Pick<HealthItem, 'affected'> => {
    if ('provider' in action)
      return { affected: [{ provider: action.provider, count: 0, accounts: [] }] }
    if (!('accounts' in action)) return {}
    const keys = distinct(action.accounts.map(({ accountKey }) => accountKey))
    const accounts = keys.flatMap((key) => byKey.get(key) ?? [])
    const affected = distinct(accounts.map(({ account }) => account.provider)).map((provider) => {
      const own = accounts.filter(({ account }) => account.provider === provider)
      return { provider, count: own.length, accounts: own.slice(0, AFFECTED_MAX).map(view) }
    })
    return affected.length === 0 ? {} : { affected }
  }
}

/** Titles that `maskText` does not recognise as names, listed for clients that hide names. */
function chosenNamesIn(action: OpenAction['action']): Pick<HealthItem, 'names'> {
  const titles = 'accounts' in action ? action.accounts.map(({ title }) => title) : []
  const names = distinct(titles.filter((title) => maskText(title) === title))
  return names.length === 0 ? {} : { names }
}

/** Recent changes for the status, newest first. Account keys are left out, because the status is sent often. */
export function changeItems(snapshot: Snapshot, text: Wording): HealthItem[] {
  return changedItems(snapshot, text).map(({ item }) => item)
}

/** Recent changes of health, newest first, each with its source row. */
export function recentChangeItems(
  snapshot: Snapshot,
  text: Wording,
): { readonly item: HealthItem; readonly row: ChangeRow }[] {
  return changedItems(snapshot, text).map(({ item, row }) => ({
    row,
    item: {
      ...item,
      accountKeys: keysOf(row.detail),
      since: item.since ?? null,
      ...(isWaiting(row) ? { sign: 'wait' as const } : {}),
    },
  }))
}

function changedItems(
  { recentChanges, evaluatedAt: now }: Snapshot,
  text: Wording,
): { readonly item: HealthItem; readonly row: ChangeRow }[] {
  const rows = changeRowsOf(recentChanges)
  const ids = changeIds(rows)
  return rows.map((row, index) => ({
    row,
    item: {
      code: row.detail.code,
      id: ids[index] ?? '',
      ...titledAt(upstreamOf(row.detail), changeWords(row.detail, now, text)),
      tone: row.tone,
      at: instantToIso(row.at),
      timeText: text.momentText(row.at, now),
      ...runOf(row, now, text),
    },
  }))
}

/** True if the account recovers by itself after some time. */
function isWaiting({ detail, tone }: ChangeRow): boolean {
  if (detail.code === 'window_exhausted') return tone !== 'bad'
  return detail.code === 'status_changed' && WAITING_STATUSES.has(detail.to)
}

const WAITING_STATUSES: ReadonlySet<AccountStatusKind> = new Set<AccountStatusKind>([
  'reset_scheduled',
  'retry_after',
  'cooldown',
])

function runOf(
  { count, since }: ChangeRow,
  now: EpochMs,
  text: Wording,
): Pick<HealthItem, 'count' | 'since' | 'countText'> {
  if (count === 1) return {}
  const countText = text.words.health.times({ count, since: text.momentText(since, now) })
  return { count, since: instantToIso(since), countText }
}

/** Adds the proxy's name to the title; unchanged without one. */
function titledAt<Words extends { readonly title: string }>(
  upstream: string | undefined,
  words: Words,
): Words {
  return { ...words, title: namedAt(words.title, ' · ', upstream) }
}

function upstreamOf(detail: ChangeDetail): string | undefined {
  return 'upstream' in detail ? detail.upstream : undefined
}

function keysOf(detail: ChangeDetail): string[] {
  if ('accountKeys' in detail) return [...detail.accountKeys]
  return 'accountKey' in detail && detail.accountKey !== undefined ? [detail.accountKey] : []
}

/** Ids made of the start time, plus a number if changes share a time. Short, because every status contains them. */
function changeIds(rows: readonly ChangeRow[]): readonly string[] {
  const used = new Map<number, number>()
  return rows.map(({ since }) => {
    const times = (used.get(since) ?? 0) + 1
    used.set(since, times)
    return times === 1 ? since.toString(36) : `${since.toString(36)}-${times}`
  })
}

function sourceCode({ outcome, tone }: HealthSource): string {
  if (outcome.kind === 'failed') return outcome.code
  return outcome.kind === 'ok' && tone !== 'good' ? 'degraded' : outcome.kind
}

function distinct(keys: readonly string[]): string[] {
  return [...new Set(keys)]
}

function summaryOf(
  state: Tone,
  actions: readonly HealthItem[],
  { worst, nothingToDo, waiting, sourceTrouble }: Catalogue['health'],
): string {
  const [first, ...others] = actions
  if (first !== undefined) return worst(first.title, others.length)
  switch (state) {
    case 'good':
      return nothingToDo
    case 'unknown':
      return waiting
    case 'warn':
    case 'bad':
      return sourceTrouble
    default:
      return state satisfies never
  }
}

function countTones(tones: readonly Tone[]): Record<Tone, number> {
  const counts = { good: 0, warn: 0, bad: 0, unknown: 0 }
  for (const tone of tones) counts[tone] += 1
  return counts
}
