import {
  type Account,
  type AccountEvidence,
  type EpochMs,
  epochMs,
  MINUTE_MS,
  offBecause,
  type ProviderId,
  type QuotaSample,
  type SourceReading,
} from '@svc/core'
import {
  type AskedAccount,
  authFaultOf,
  BANKED_KEPT_MS,
  newestDirectSample,
} from '@svc/core/account'
import type { RememberedAccount } from '@svc/core/pool'
import {
  type DirectQuotaTally,
  fileKeyOf,
  type RefreshRun,
  type RefreshTarget,
} from '@svc/core/service'
import type { PassiveQuota } from '@svc/core/usage'
import { createAccountBook } from './account-book.ts'
import { askableAtMs } from './account-budget.ts'
import { createAccountQueries, type QueryPlan } from './account-queries.ts'
import { type CurrentRefresh, createCurrentRefresh } from './current-refresh.ts'
import { evidenceWithPassive, showsAllWindowsOf } from './evidence-after.ts'
import { createQueryTally, type QueryDeps } from './query-results.ts'
import { note, type WatchedAccount } from './watched-accounts.ts'

/** Readings of an account, handed to the proxy that queries it from now on. Times are monotonic milliseconds. */
export interface HandedOver {
  readonly samples: readonly QuotaSample[]
  /** Start of the last query that counts; null if there was none. */
  readonly lastAttemptAtMs: number | null
  /** Start of the last query of any kind; null if there was none. */
  readonly sentAtMs: number | null
  /** The plan found by a separate plan query; absent if there was none. */
  readonly vendorPlan?: AccountEvidence['vendorPlan']
  /** Resets that the account's owner may spend; absent if unknown. */
  readonly bankedResets?: AccountEvidence['bankedResets']
  /** Whether the login was found dead at the earlier proxy. */
  readonly isLoginDead: boolean
  readonly waitUntilMs: number
  /** Last refresh of this account alone by an operator; null: never. */
  readonly askedAloneAtMs: number | null
}

/** Creates a runner that queries nothing before its first account list. */
export function createQuotaRunner(plan: QueryPlan, deps: QueryDeps) {
  const { clock } = deps
  const book = createAccountBook(clock)
  const queryTally = createQueryTally(plan.pace.paused)
  let asked: ReadonlySet<string> | null = null
  const isAskedHere = (account: Account) => asked === null || asked.has(fileKeyOf(account))
  const times = () => ({ now: clock.now(), nowMs: clock.monotonicMs() })
  /** Time from which the account may be queried by anyone, including the pauses of its vendor. */
  const askableAt = (watched: WatchedAccount) => {
    const provider = plan.queriedProvider(watched.account)
    return provider === null
      ? Number.POSITIVE_INFINITY
      : Math.max(plan.pace.pausedUntilMs(provider), askableAtMs(watched, provider, times()))
  }
  const refresh = createCurrentRefresh(plan.transport, clock, {
    isAskedHere,
    askableAtMs: askableAt,
  })
  const queries = createAccountQueries(plan, { book, tally: queryTally, refresh }, deps)
  const isLoginDead = ({ account, evidence }: WatchedAccount) =>
    authFaultOf(account, evidence, clock.now()) !== null

  /** Whether every enabled account is or was queried through another proxy. */
  const wasAskedElsewhere = () => {
    const enabled = [...book.all()].filter(
      ({ account }) => !account.operatorDisabled && plan.queriedProvider(account) !== null,
    )
    return (
      asked !== null &&
      enabled.length > 0 &&
      queries.isAtRest() &&
      enabled.every(({ account, times }) => !isAskedHere(account) || times.lastAttemptAtMs !== null)
    )
  }

  /**
   * Spreads the first queries of budgeted accounts, because an earlier process without a store may have just queried them. The first query of each
   * vendor is sent at once, the others follow in random order.
   */
  const spreadFirstRound = () => {
    const byVendor = new Map<
      ProviderId,
      { readonly at: number; readonly watched: WatchedAccount }[]
    >()
    for (const watched of book.all()) {
      const { id, politeness } = plan.queriedProvider(watched.account) ?? {}
      if (id === undefined || politeness?.budget == null) continue
      const drawn = byVendor.get(id) ?? []
      byVendor.set(id, drawn)
      drawn.push({ at: deps.random(), watched })
    }
    const nowMs = clock.monotonicMs()
    for (const drawn of byVendor.values())
      for (const [index, { watched }] of drawn.sort((one, other) => one.at - other.at).entries())
        note(watched, {
          kind: 'first_round',
          atMs: nowMs + (index / drawn.length) * FIRST_ROUND_MS,
        })
  }
  const takePassive = (activity: readonly PassiveQuota[]) => {
    const changed = takePassiveQuota(book.all(), activity, clock.monotonicMs())
    if (changed.length > 0) book.evidenceChanged()
    return changed
  }
  let isSpread = false
  /** Sends due queries once it is known whether a store has the queries of other processes. */
  const goOn = () => {
    const standing = plan.asked.standing()
    if (!isSpread && standing !== 'awaited' && book.listCount() > 0) {
      isSpread = true
      if (standing === 'none') spreadFirstRound()
    }
    queries.countSent(book.takeSent())
    queries.schedule(book.all())
    queries.keepAsked()
  }
  plan.asked.onChange(goOn)
  let remembered: ReadonlyMap<string, RememberedAccount> = new Map()

  return {
    /** Follows a new account list and takes the quota shown in it. */
    useAccounts(list: readonly Account[], quota: readonly PassiveQuota[] = []) {
      book.follow(list)
      takePassive(quota)
      refresh.dropUnlisted(book.lists)
      goOn()
    },
    /** Takes an earlier process's readings, by file name. */
    restore(known: ReadonlyMap<string, RememberedAccount>) {
      book.restore(known)
      remembered = known
      const sampledAt = resumePauses(known, [], plan)
      if (sampledAt !== null) queryTally.resume(sampledAt)
      goOn()
    },
    /** Takes the last queries of earlier processes, or of a monitor that has queried the accounts until now. */
    useAsked(asked: readonly AskedAccount[]) {
      book.useAsked(asked)
      resumePauses(remembered, asked, plan)
      goOn()
    },
    /** Resumes queries of vendors that had been stopped until a reload. */
    reload() {
      plan.pace.endStops()
      queries.schedule(book.all())
    },
    /** Takes the readings, by file name, of another process that queries the accounts. */
    adopt(known: ReadonlyMap<string, RememberedAccount>) {
      book.adopt(known)
      remembered = known
      resumePauses(known, [], plan)
      goOn()
      plan.onChange()
    },
    /** Sends due queries now, because more of them may be allowed. */
    askAgain: goOn,
    /** Takes quota from the answers to client requests; if every window is fresh, the next query is skipped. */
    usePassive(activity: readonly PassiveQuota[]) {
      queries.schedule(takePassive(activity))
    },
    /** Limits queries to these files, by `fileKeyOf`; other proxies query the rest. `handedOver`: other proxies' readings of newly added files. */
    askOnly(files: ReadonlySet<string>, handedOver: ReadonlyMap<string, readonly HandedOver[]>) {
      asked = files
      for (const watched of book.all()) {
        const handed = handedOver.get(fileKeyOf(watched.account)) ?? []
        if (handed.length > 0) takeOver(watched, handed, refresh, isLoginDead(watched))
      }
      book.evidenceChanged()
      queries.schedule(book.all())
    },
    /** Readings of a file, by name, for the proxy that takes over its account; null if the file is not listed. */
    handOver(authName: string): HandedOver | null {
      const watched = book.at(authName)
      if (watched === null) return null
      const { lastAttemptAtMs, sentAtMs, waitUntilMs } = watched.times
      const { samples, vendorPlan, bankedResets } = watched.evidence
      return {
        samples,
        ...(vendorPlan === undefined ? {} : { vendorPlan }),
        ...(bankedResets === undefined ? {} : { bankedResets }),
        lastAttemptAtMs,
        sentAtMs,
        isLoginDead: isLoginDead(watched),
        waitUntilMs,
        askedAloneAtMs: refresh.askedAloneAtMs(watched),
      }
    },
    /** Ends every pause because the proxy answers again. */
    retryNow() {
      queries.endPause()
      for (const watched of book.all()) {
        const { probeFailure } = watched.evidence
        if (probeFailure?.kind === 'failed' && probeFailure.httpStatus === null)
          note(watched, { kind: 'query_is_void' })
      }
      queries.schedule(book.all())
    },
    /** Queries every account in scope once, soon, within the same limits. Ends a refresh still running. */
    refresh(target: RefreshTarget): RefreshRun {
      const { tally, ended, cancel } = refresh.begin(target, book.all())
      queries.schedule(book.all())
      return {
        tally,
        ended,
        expectedMs: () => queries.expectedMs(tally().queued - tally().done),
        cancel() {
          cancel()
          // Accounts queried only for the refresh are no longer due.
          queries.schedule(book.all())
        },
      }
    },
    evidence: book.evidence,
    reading(): SourceReading<DirectQuotaTally> {
      const reading = queryTally.reading()
      return reading.outcome.kind === 'pending' && wasAskedElsewhere()
        ? offBecause('asked_elsewhere')
        : reading
    },
    async stop() {
      refresh.stop()
      await queries.stop()
    },
  }
}

export type QuotaRunner = ReturnType<typeof createQuotaRunner>

/** Time over which the first round is spread without a store. */
const FIRST_ROUND_MS = 5 * MINUTE_MS

/**
 * Continues an earlier process's pauses, unless a later sample of the same vendor has ended them. Returns the time of the newest sample of any
 * vendor; null without one.
 */
function resumePauses(
  known: ReadonlyMap<string, RememberedAccount>,
  asked: readonly AskedAccount[],
  { pace, queriedProvider }: Pick<QueryPlan, 'pace' | 'queriedProvider'>,
): EpochMs | null {
  const sampledAt = new Map<ProviderId, EpochMs>()
  for (const { account, evidence } of known.values()) {
    const at = newestDirectSample(evidence?.samples ?? [])?.sampledAt
    if (at !== undefined && at > (sampledAt.get(account.provider) ?? 0))
      sampledAt.set(account.provider, at)
  }
  const stored = [...known.values()].map(({ account, evidence }) => ({ account, evidence }))
  for (const { account, evidence } of [
    ...stored,
    ...asked.map((one) => ({ account: one, evidence: one.evidence })),
  ]) {
    const provider = queriedProvider(account)
    const pause = evidence?.vendorPause
    if (provider === null || pause === undefined) continue
    if (pause.until > (sampledAt.get(account.provider) ?? 0)) pace.resume(provider, pause)
  }
  return sampledAt.size === 0 ? null : epochMs(Math.max(...sampledAt.values()))
}

/**
 * Continues from other proxies' readings: the next query is due as if this proxy had sent their queries. As long as the account was never read,
 * queries of a dead login do not delay a login that may work.
 */
function takeOver(
  watched: WatchedAccount,
  handed: readonly HandedOver[],
  refresh: Pick<CurrentRefresh, 'noteAskedAlone'>,
  isDeadHere: boolean,
): void {
  const isUnread = handed.every(({ samples }) => samples.length === 0)
  for (const { vendorPlan, bankedResets, ...one } of handed) {
    const { lastAttemptAtMs, sentAtMs, isLoginDead, waitUntilMs, askedAloneAtMs } = one
    if (
      vendorPlan !== undefined &&
      vendorPlan.askedAt > (watched.evidence.vendorPlan?.askedAt ?? 0)
    )
      watched.evidence = { ...watched.evidence, vendorPlan }
    if (
      bankedResets !== undefined &&
      bankedResets.sampledAt > (watched.evidence.bankedResets?.sampledAt ?? 0)
    )
      watched.evidence = { ...watched.evidence, bankedResets }
    if (sentAtMs !== null) note(watched, { kind: 'sent_elsewhere', atMs: sentAtMs })
    const counts = !isUnread || !isLoginDead || isDeadHere
    if (lastAttemptAtMs !== null && counts)
      note(watched, { kind: 'asked_elsewhere', atMs: lastAttemptAtMs })
    note(watched, { kind: 'vendor_asks_to_wait', untilMs: waitUntilMs })
    if (askedAloneAtMs !== null) refresh.noteAskedAlone(watched, askedAloneAtMs)
  }
  const samples = handed.flatMap((one) => one.samples)
  watched.evidence = { ...watched.evidence, elsewhere: { samples, lastSuccessAt: null } }
}

/** Whether headers alone would soon leave the count of banked resets unknown, because only queries tell it. */
function isBankedCountOld({ bankedResets }: AccountEvidence, { sampledAt }: QuotaSample): boolean {
  return bankedResets !== undefined && sampledAt - bankedResets.sampledAt > BANKED_KEPT_MS / 2
}

/**
 * Takes quota from the answers to client requests; if every window is fresh, the next query is skipped. Returns the accounts with new evidence.
 * `nowMs` is monotonic.
 */
export function takePassiveQuota(
  accounts: Iterable<WatchedAccount>,
  activity: readonly PassiveQuota[],
  nowMs: number,
): readonly WatchedAccount[] {
  const samplesByKey = new Map<string, readonly QuotaSample[]>()
  for (const { accountKey, samples } of activity)
    if (samples.length > 0)
      samplesByKey.set(accountKey, [...(samplesByKey.get(accountKey) ?? []), ...samples])
  if (samplesByKey.size === 0) return []
  return [...accounts].filter((watched) => {
    const { account, evidence: before } = watched
    const samples = samplesByKey.get(account.selector.accountKey) ?? []
    for (const sample of samples.toSorted((one, other) => one.sampledAt - other.sampledAt)) {
      const evidence = evidenceWithPassive(watched.evidence, sample, account)
      if (evidence === null) continue
      watched.evidence = evidence
      const replacesQuery =
        !isBankedCountOld(evidence, sample) &&
        showsAllWindowsOf(newestDirectSample(evidence.samples), sample)
      if (watched.quotaClass !== 'primary' || watched.querying) continue
      if (replacesQuery) note(watched, { kind: 'headers_replace_query', atMs: nowMs })
    }
    return watched.evidence !== before
  })
}
