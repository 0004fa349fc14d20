import {
  DAY_MS,
  type EpochMs,
  epochMs,
  type Interval,
  MINUTE_MS,
  plusMs,
  type Snapshot,
} from '@svc/core'
import { type CourseQuery, courseSpanOf, unrecordedCourses } from '@svc/core/account'
import type { AccountPlan } from '@svc/core/money'
import { allAccountsOf, CYCLES_RANGE, ownWindows, providerByKeyOf } from '@svc/core/pool'
import { ASSUMED_PROVIDER, type Clock } from '@svc/core/service'
import {
  emptySum,
  noCost,
  placeAt,
  type RowsLeft,
  type UsageFilter,
  usageSpanOf,
} from '@svc/core/usage'
import {
  type AccountUsage,
  type AskedSpan,
  accountDetailView,
  type Catalogue,
  healthHistoryView,
  type NoCourseReason,
  pricesView,
  quotaCourseView,
  statsWindowsView,
  usageFailuresView,
  type ViewContext,
} from '@svc/views'
import { encodeAround, encodeJson } from '../answers/encode-json.ts'
import {
  encodeChart,
  type FailuresRequest,
  type HistoryQuestions,
  type RowsPart,
  type RowsRequest,
  type SeriesRequest,
  type UsageByAccount,
  type WindowsRequest,
  worthOf,
} from '../answers/history-questions.ts'
import type { FilteredPayload, ReadyAnswer, Refusal } from '../answers/ready-answer.ts'
import { ReaderBusy } from '../store/store-reader.ts'
import { knownProvidersOf } from './filtered-payloads.ts'

/** Default maximum age of a kept answer, in milliseconds, relative to the newest possible one. */
const KEPT_MS = 5_000
const KEPT_MAX = 64

/** Reading of an answer from a history, and the answer without one. */
interface StoredAnswer<Answer> {
  read(questions: HistoryQuestions): Promise<Answer>
  without(reason: NoCourseReason): Answer
}

/**
 * Creates a cache of answers made on demand; simultaneous requests for one key share an answer. Rejects with ReaderBusy. Neither a rejection nor the
 * answer of an unreadable store is kept.
 */
export function createKeptAnswers<Answer>(
  questions: HistoryQuestions | null,
  clock: Clock,
  keptMs = KEPT_MS,
) {
  const kept = new Map<string, { readonly sinceMs: number; readonly answer: Promise<Answer> }>()
  return (key: string, { read, without }: StoredAnswer<Answer>): Promise<Answer> => {
    const nowMs = clock.monotonicMs()
    for (const [known, { sinceMs }] of kept) if (nowMs - sinceMs > keptMs) kept.delete(known)
    const known = kept.get(key)
    if (known !== undefined) return known.answer
    const [oldest] = kept.keys()
    if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest)
    const ask = async () => (questions === null ? without('no_store') : await read(questions))
    const answer = ask().catch((error: unknown) => {
      kept.delete(key)
      if (error instanceof ReaderBusy) throw error
      return without('store_unavailable')
    })
    kept.set(key, { sinceMs: nowMs, answer })
    return answer
  }
}

/** Snapshot and context that the other answers are made from. */
interface Shown {
  readonly snapshot: Snapshot
  readonly context: ViewContext
}

interface HistoryAnswersDeps {
  /** Null without a history. */
  readonly questions: HistoryQuestions | null
  /** Null before the first snapshot. */
  readonly latest: () => Shown | null
  /** Instant of all other answers about usage; null if they have none. */
  readonly usageAsOf: () => Promise<EpochMs | null>
  readonly clock: Clock
  /** The clock that dates usage. */
  readonly usageClock: Clock
  readonly words: Catalogue
}

/** Maximum age of kept windows: reading a large pool takes seconds, and a few minutes change little in a month of windows. */
const CYCLES_KEPT_MS = 5 * MINUTE_MS

/**
 * Answers from a history, shared by all requests within seconds and as of the same instants as all other answers, so that they agree. Each rejects
 * with ReaderBusy; without a readable history the answer says so.
 */
export function createHistoryAnswers(deps: HistoryAnswersDeps) {
  const course = courseAnswers(deps)
  return {
    chart: chartAnswers(deps),
    course,
    account: accountAnswers(deps, course),
    healthHistory: healthAnswers(deps),
    cycles: cycleAnswers(deps),
    rows: rowAnswers(deps),
    failures: failureAnswers(deps),
    prices: priceAnswers(deps),
  }
}

export type HistoryAnswers = ReturnType<typeof createHistoryAnswers>

/** Whether an account with this key is listed. */
export function isListed(shown: Pick<Shown, 'snapshot'> | null, accountKey: string): boolean {
  return (
    shown !== null &&
    allAccountsOf(shown.snapshot).some(({ selector }) => selector.accountKey === accountKey)
  )
}

function shownAt({ latest, clock }: HistoryAnswersDeps): EpochMs {
  return latest()?.snapshot.evaluatedAt ?? clock.now()
}

function chartAnswers({ questions, latest, usageAsOf, usageClock, words }: HistoryAnswersDeps) {
  const kept = createKeptAnswers<ReadyAnswer | Refusal>(questions, usageClock)
  return async (asked: SeriesRequest): Promise<{ readonly answer: ReadyAnswer } | Refusal> => {
    const snapshot = latest()?.snapshot
    const moment = await usageAsOf()
    const now = moment ?? usageClock.now()
    const between = asked.between === null ? undefined : spanUntil(asked.between, now)
    if (between === null) return { refusal: { slug: 'invalid_span', details: {} } }
    const query = {
      ...asked.query,
      ...(snapshot === undefined ? {} : { listed: providerByKeyOf(snapshot) }),
      ...(between === undefined ? {} : { between }),
    }
    const request = { ...asked, query }
    const answer = await kept(JSON.stringify([request, moment]), {
      async read({ chart }) {
        const answer = await chart(request, now)
        // The chart may include usage stored during its computation, which the other answers must then show too.
        await usageAsOf()
        return answer
      },
      // An unreadable history is answered like a missing one.
      without: () => encodeChart(null, request, words),
    })
    return 'refusal' in answer ? answer : { answer }
  }
}

/** The span up to `now` at most; null if it is empty or ends more than a minute after `now`. */
function spanUntil({ from, to }: AskedSpan, now: EpochMs): Interval | null {
  const end = epochMs(Math.min(to ?? now, now))
  return from >= end || (to !== null && to > plusMs(now, MINUTE_MS)) ? null : { from, to: end }
}

/** Answers with the course of an account; null for one that is neither listed nor recorded. */
function courseAnswers(deps: HistoryAnswersDeps) {
  const { questions, latest, clock, words } = deps
  const kept = createKeptAnswers<ReadyAnswer | null>(questions, clock)
  return async (query: CourseQuery): Promise<ReadyAnswer | null> => {
    const { accountKey, range } = query
    const now = shownAt(deps)
    const ifListed = (course: Parameters<typeof quotaCourseView>[0]) =>
      isListed(latest(), accountKey)
        ? encodeJson(quotaCourseView(course, query, { now, words }))
        : null
    return await kept(JSON.stringify([accountKey, range, now]), {
      read: async ({ course }) =>
        (await course(query, now)) ?? ifListed(unrecordedCourses(query, now)),
      without: ifListed,
    })
  }
}

function healthAnswers(deps: HistoryAnswersDeps) {
  const { questions, latest, clock } = deps
  const kept = createKeptAnswers<ReadyAnswer>(questions, clock, MINUTE_MS)
  return async () => {
    // All who look within a minute share one reading of thirty days.
    const now = epochMs(Math.floor(shownAt(deps) / MINUTE_MS) * MINUTE_MS)
    const provider = latest()?.snapshot.provider ?? ASSUMED_PROVIDER
    return await kept(`${provider} ${now}`, {
      read: ({ health }) => health(now, provider),
      without: (reason) => encodeJson(healthHistoryView(reason, now)),
    })
  }
}

/** Days of failures that are counted if no time is asked for. */
const FAILURE_DAYS = 7

function failureAnswers({ questions, usageAsOf, usageClock, words }: HistoryAnswersDeps) {
  const kept = createKeptAnswers<ReadyAnswer>(questions, usageClock)
  return async ({
    filter,
    between: asked,
  }: FailuresRequest): Promise<{ readonly answer: ReadyAnswer } | Refusal> => {
    const now = (await usageAsOf()) ?? usageClock.now()
    const days = { from: plusMs(now, -FAILURE_DAYS * DAY_MS), to: null }
    const between = spanUntil(asked ?? days, now)
    if (between === null) return { refusal: { slug: 'invalid_span', details: {} } }
    const answer = await kept(JSON.stringify([filter, between]), {
      read: ({ failures }) => failures({ filter, between }, now),
      without: (reason) => encodeJson(usageFailuresView(reason, words)),
    })
    return { answer }
  }
}

function priceAnswers({ questions, latest, usageAsOf, usageClock, words }: HistoryAnswersDeps) {
  const kept = createKeptAnswers<ReadyAnswer>(questions, usageClock, MINUTE_MS)
  return async () => {
    const asOf = (await usageAsOf()) ?? usageClock.now()
    // All who look within a minute share one reading of thirty days.
    const now = epochMs(Math.floor(asOf / MINUTE_MS) * MINUTE_MS)
    return await kept(String(now), {
      read: ({ prices }) => prices(accountPlans(latest()), now),
      without: (reason) => encodeJson(pricesView(reason, null, words)),
    })
  }
}

/** Answers with past windows of the accounts that count in the capacity of one provider's pool, until the last whole five minutes unless a time is asked for. */
function cycleAnswers(deps: HistoryAnswersDeps) {
  const { questions, latest, clock, words } = deps
  const kept = createKeptAnswers<ReadyAnswer>(questions, clock, CYCLES_KEPT_MS)
  return async ({
    filter: { account },
    between: asked,
    providers,
    warnings,
  }: WindowsRequest): Promise<FilteredPayload | Refusal> => {
    const snapshot = latest()?.snapshot
    const allowed = knownProvidersOf(snapshot)
    const listed = snapshot === undefined ? null : providerByKeyOf(snapshot)
    const ofAccounts = account?.flatMap((key) => listed?.get(key) ?? []).slice(0, 1) ?? []
    const shown = [...ofAccounts, snapshot?.provider ?? ASSUMED_PROVIDER].slice(0, 1)
    const [provider, ...others] = providers ?? shown
    if (provider === undefined || others.length > 0 || !allowed.includes(provider))
      return { unknown: { parameter: 'provider', allowed } }
    const recent = epochMs(Math.floor(shownAt(deps) / CYCLES_KEPT_MS) * CYCLES_KEPT_MS)
    const isUntilNow = asked === null || (asked.to === null && asked.from < recent)
    const span =
      asked === null
        ? courseSpanOf(CYCLES_RANGE, recent)
        : spanUntil(asked, isUntilNow ? recent : shownAt(deps))
    if (span === null) return { refusal: { slug: 'invalid_span', details: {} } }
    const pool =
      provider === snapshot?.provider
        ? snapshot
        : snapshot?.pools.find((one) => one.provider === provider)
    const accounts = pool?.accounts ?? []
    const isAsked = ({ selector: { accountKey } }: (typeof accounts)[number]) =>
      account?.includes(accountKey) ?? true
    const weights = weightsOf(accounts.filter(isAsked))
    const windowIds = pool === undefined ? [] : ownWindows(pool)
    const isUnknown = account?.some((key) => listed?.get(key) !== provider) ?? false
    const filter: UsageFilter = {
      ...(account === undefined ? {} : { account }),
      ...(providers === undefined ? {} : { provider: [provider] }),
    }
    const view: Parameters<typeof statsWindowsView>[1] = {
      ...{ span, provider, windowIds, filter },
      range: asked === null ? CYCLES_RANGE : 'custom',
      warnings: [
        ...warnings,
        ...(isUnknown ? [`account: an id that ${provider} does not list`] : []),
      ],
    }
    const encoded = (cycles: Parameters<typeof statsWindowsView>[0]) =>
      encodeJson(statsWindowsView(cycles, view, words))
    const answer = await kept(JSON.stringify([view, [...weights]]), {
      read: async ({ cycles }) => encoded(await cycles(weights, span)),
      without: encoded,
    })
    return { answer }
  }
}

/** Plus units of a full window, by the key of each account that counts. */
function weightsOf(accounts: Snapshot['accounts']): ReadonlyMap<string, number> {
  return new Map(
    accounts
      .filter(({ countedInCapacity, capacityWeight }) => countedInCapacity && capacityWeight > 0)
      .map(({ selector, capacityWeight }) => [selector.accountKey, capacityWeight]),
  )
}

/** Answers with everything known of one account; null for an account that is neither listed nor recorded. */
function accountAnswers(
  { questions, latest, usageAsOf, clock }: HistoryAnswersDeps,
  courseOf: ReturnType<typeof courseAnswers>,
) {
  const kept = createKeptAnswers<UsageByAccount | NoCourseReason>(questions, clock)
  return async (query: CourseQuery): Promise<ReadyAnswer | null> => {
    const { accountKey } = query
    const shown = latest()
    if (shown === null) throw new ReaderBusy('nothing was published yet')
    const { snapshot, context } = shown
    const now = (await usageAsOf()) ?? snapshot.evaluatedAt
    const [quota, used] = await Promise.all([
      courseOf(query),
      kept(String(now), {
        read: ({ accountUsage }) => accountUsage(now),
        without: (reason) => reason,
      }),
    ])
    if (quota === null) return null
    const usage = typeof used === 'string' ? used : accountUsageIn(used, accountKey)
    const listed = accountPlans(shown).filter(({ account }) => account === accountKey)
    const paidBack = typeof used === 'string' ? null : worthOf(listed, used, now)
    return encodeAround(
      accountDetailView(snapshot, { accountKey, usage, paidBack }, context),
      'quota',
      quota,
    )
  }
}

function accountUsageIn(
  { since, lastDay, lastWeek, lastMonth }: UsageByAccount,
  accountKey: string,
): AccountUsage {
  const countsIn = ({ rows, isPriced }: typeof lastDay) =>
    rows.find(({ id }) => id === accountKey) ?? { ...emptySum(), ...(isPriced && { cost: noCost }) }
  return {
    since,
    lastDay: countsIn(lastDay),
    lastWeek: countsIn(lastWeek),
    lastMonth: lastMonth && countsIn(lastMonth),
  }
}

/** Listed accounts, each once. */
function accountPlans(shown: Shown | null): readonly AccountPlan[] {
  const plans = (shown === null ? [] : allAccountsOf(shown.snapshot)).map(
    ({ selector: { accountKey: account }, account: { provider }, plan }) =>
      [account, { account, provider, plan }] as const,
  )
  // The first of several auth files counts.
  return [...new Map(plans.reverse()).values()]
}

/**
 * Answers with the next part of a download, the first one if `left` is null, or with the reason why requests cannot be read. All parts hold only
 * requests before the instant of the first part, or before the end of the time that is asked for.
 */
function rowAnswers({ questions, usageClock }: HistoryAnswersDeps) {
  const wholeOf = ({ range, between }: RowsRequest): RowsLeft | null => {
    const now = usageClock.now()
    if (between !== null) {
      const span = spanUntil(between, now)
      return span && { from: span.from, before: placeAt(span.to) }
    }
    const from =
      range === 'all' || range === 'custom' ? epochMs(0) : usageSpanOf(range, now, null).from
    return { from, before: placeAt(now) }
  }
  return async (
    request: RowsRequest,
    left: RowsLeft | null,
  ): Promise<(RowsPart & { readonly whole: RowsLeft }) | NoCourseReason | 'invalid_span'> => {
    if (questions === null) return 'no_store'
    const whole = left ?? wholeOf(request)
    if (whole === null) return 'invalid_span'
    try {
      return { ...(await questions.rows(request, whole)), whole }
    } catch (error) {
      if (error instanceof ReaderBusy) throw error
      return 'store_unavailable'
    }
  }
}
