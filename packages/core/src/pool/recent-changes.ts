import type { AccountStatusKind, Tone } from '../account/account-status.ts'
import { type BlockedReason, namingBlockOf } from '../account/blocked-reasons.ts'
import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { type Account, isSameLogin } from '../facts/account.ts'
import type { BenchmarkSummary } from '../facts/observation.ts'
import type { PlanKind } from '../facts/plan.ts'
import type { ProviderId } from '../facts/provider.ts'
import type { EpochMs } from '../facts/time.ts'
import { fileKeyOf, type UpstreamName } from '../facts/upstream.ts'
import type { WindowId } from '../facts/window.ts'
import type { EvaluatedPool, SnapshotSourceKind } from './evaluated-pool.ts'
import { allAccountsOf } from './provider-pool.ts'

export interface ChangedAccount {
  readonly title: string
  /** Left out if unknown: older versions stored changes without the key. */
  readonly accountKey?: string
  /** The proxy that has the file; left out if the configuration lists none. */
  readonly upstream?: UpstreamName
}

/** A change between two snapshots; the wording lives in views. */
export type ChangeDetail =
  | (ChangedAccount & { readonly code: 'account_added' | 'account_removed' })
  | (ChangedAccount & {
      readonly code: 'account_renamed'
      readonly fromAuthName: string
      readonly toAuthName: string
    })
  | (ChangedAccount & {
      readonly code: 'plan_changed'
      readonly from: PlanKind
      readonly to: PlanKind
    })
  | (ChangedAccount & {
      readonly code: 'status_changed'
      readonly from: AccountStatusKind
      readonly to: AccountStatusKind
      /** Reason for the block in each state; omitted if the account may be used, or if the change was stored without it. */
      readonly fromReason?: BlockedReason
      readonly toReason?: BlockedReason
      readonly until: EpochMs | null
    })
  | (ChangedAccount & {
      readonly code: 'window_exhausted' | 'window_reset'
      readonly windowId: WindowId
    })
  | {
      readonly code: 'vendor_reset'
      readonly provider: ProviderId
      readonly windowId: WindowId
      /** Number of accounts whose readings show the reset so far. */
      readonly accountCount: number
      /** Plus units returned to these accounts; left out if unknown. */
      readonly units?: number
      /** Time of the first reading that shows the reset. */
      readonly seenAt: EpochMs
    }
  | (ChangedAccount & {
      readonly code: 'banked_reset_spent' | 'banked_reset_lapsed'
      /** Number of resets. */
      readonly count: number
    })
  | {
      readonly code: 'banked_reset_arrived'
      readonly provider: ProviderId
      readonly accountCount: number
      /** Number of resets that these accounts got. */
      readonly count: number
      /** Keys of at most 100 of the accounts. */
      readonly accountKeys: readonly string[]
      /** Time of the first reading that shows one. */
      readonly seenAt: EpochMs
    }
  | {
      readonly code: 'source_changed'
      readonly from: SnapshotSourceKind
      readonly to: SnapshotSourceKind
    }
  | { readonly code: 'gateway_changed'; readonly up: boolean }
  | { readonly code: 'proxy_restarted' | 'history_started' }
  | {
      readonly code: 'benchmark_changed'
      readonly from: BenchmarkSummary
      readonly to: BenchmarkSummary
    }

/** A change of the pool, dated by the evaluation that found it. */
export interface RecentChange {
  readonly at: EpochMs
  readonly tone: Tone
  readonly detail: ChangeDetail
}

const SOURCE_TONE: Readonly<Record<SnapshotSourceKind, Tone>> = {
  live: 'good',
  demo: 'good',
  partial: 'warn',
  stale: 'warn',
  unavailable: 'bad',
}

/** Differences of `next` from `previous`, dated by the evaluation of `next`. */
export function changesBetween(
  previous: EvaluatedPool,
  next: EvaluatedPool,
): readonly RecentChange[] {
  const changes: RecentChange[] = []
  const note = (tone: Tone, detail: ChangeDetail) =>
    changes.push({ at: next.evaluatedAt, tone, detail })

  const [stood, stands] = [previous.standing, next.standing]
  if (stood.source !== null && stands.source !== null && stood.source !== stands.source) {
    note(SOURCE_TONE[stands.source], {
      code: 'source_changed',
      from: stood.source,
      to: stands.source,
    })
  }
  if (
    stood.gatewayUp !== null &&
    stands.gatewayUp !== null &&
    stood.gatewayUp !== stands.gatewayUp
  ) {
    note(stands.gatewayUp ? 'good' : 'bad', { code: 'gateway_changed', up: stands.gatewayUp })
  }
  const [from, to] = [previous.benchmark, next.benchmark]
  if (from !== null && to !== null && !isSameBenchmark(from, to))
    note('good', { code: 'benchmark_changed', from, to })
  if (beganAgain(previous, next)) note('warn', { code: 'proxy_restarted' })
  // The first account list does not count as a change of the pool.
  if (!previous.available || !next.available) return changes

  for (const [tone, detail] of fileChanges(filesToCompare(previous, next), namedIn(next)))
    note(tone, detail)
  return changes
}

type Changes = (readonly [Tone, ChangeDetail])[]
type Names = (account: EvaluatedAccount) => ChangedAccount

/** Files of proxies listed both before and after. A proxy's first list, or the end of its watch, does not change the pool. */
function filesToCompare(previous: EvaluatedPool, next: EvaluatedPool) {
  const [wereListed, areListed] = [listedUpstreams(previous), listedUpstreams(next)]
  const isOf = (names: ReadonlySet<UpstreamName> | null) => (account: EvaluatedAccount) =>
    names === null || names.has(account.account.upstream)
  return {
    before: allAccountsOf(previous).filter(isOf(areListed)),
    after: allAccountsOf(next).filter(isOf(wereListed)),
  }
}

/** The proxies whose lists make up a pool; null if unknown. */
function listedUpstreams(pool: EvaluatedPool): ReadonlySet<UpstreamName> | null {
  const { upstreams } = pool
  if (upstreams !== undefined)
    return new Set(upstreams.flatMap(({ name, available }) => (available ? [name] : [])))
  const [first] = allAccountsOf(pool)
  return first === undefined ? null : new Set([first.account.upstream])
}

function fileChanges(
  { before, after }: ReturnType<typeof filesToCompare>,
  named: Names,
): readonly (readonly [Tone, ChangeDetail])[] {
  const changes: Changes = []
  const gone = new Map(before.map((account) => [fileKeyOf(account.account), account]))
  const same = after.map(({ account }) => {
    const key = fileKeyOf(account)
    const earlier = gone.get(key)
    if (earlier === undefined || !isSameLogin(earlier.account, account)) return undefined
    gone.delete(key)
    return earlier
  })
  const goneByKey = new Map([...gone.values()].map((account) => [keyAtProxy(account), account]))
  for (const [index, account] of after.entries()) {
    const earlier = same[index]
    const renamed = goneByKey.get(keyAtProxy(account))
    if (earlier !== undefined) {
      changes.push(...accountChanges(earlier, account, named))
    } else if (renamed !== undefined) {
      gone.delete(fileKeyOf(renamed.account))
      goneByKey.delete(keyAtProxy(account))
      const detail = {
        code: 'account_renamed',
        ...named(account),
        fromAuthName: renamed.selector.authName,
        toAuthName: account.selector.authName,
      } as const
      changes.push(['good', detail])
    } else {
      changes.push(['good', { code: 'account_added', ...named(account) }])
    }
  }
  for (const account of gone.values())
    changes.push(['warn', { code: 'account_removed', ...named(account) }])
  return changes
}

/** Identity of a file across a rename. Only its own proxy can rename a file; at another proxy it is a new one. */
function keyAtProxy({ account }: EvaluatedAccount): string {
  return `${account.upstream} ${account.selector.accountKey}`
}

/** True if the proxy has restarted its counters. */
function beganAgain(previous: EvaluatedPool, next: EvaluatedPool): boolean {
  const restartedAt = next.requestCounters?.restartedAt ?? null
  return restartedAt !== null && restartedAt !== (previous.requestCounters?.restartedAt ?? null)
}

function isSameBenchmark(one: BenchmarkSummary, other: BenchmarkSummary): boolean {
  return (
    one.generatedAt === other.generatedAt &&
    one.speedup === other.speedup &&
    one.tokenOverheadRatio === other.tokenOverheadRatio &&
    one.weeklyToFiveHourMultiplier === other.weeklyToFiveHourMultiplier
  )
}

export function namedIn({ upstreams }: EvaluatedPool): Names {
  return ({ title, selector, account }) => ({
    title,
    accountKey: selector.accountKey,
    ...(upstreams === undefined ? {} : { upstream: account.upstream }),
  })
}

/** Whether the proxy says the same of an account's state. */
function isListedAlike(one: Account, other: Account): boolean {
  return (
    one.operatorDisabled === other.operatorDisabled &&
    one.unavailable === other.unavailable &&
    one.upstreamStatus === other.upstreamStatus &&
    one.message.kind === other.message.kind
  )
}

function accountChanges(
  before: EvaluatedAccount,
  after: EvaluatedAccount,
  namesOf: Names,
): readonly (readonly [Tone, ChangeDetail])[] {
  // The vendor's first answer describes a state, not a change; a change in the proxy's list still is one.
  const isFirstAnswer = before.lastSample === null && after.lastSample?.origin === 'direct'
  if (isFirstAnswer && isListedAlike(before.account, after.account)) return []
  const named = namesOf(after)
  const changes: Changes = []
  if (before.plan !== after.plan && before.plan !== 'unknown')
    changes.push(['good', { code: 'plan_changed', ...named, from: before.plan, to: after.plan }])
  if (before.status.kind !== after.status.kind) {
    const { tone, until } = after.status
    const [fromReason, toReason] = [namingBlockOf(before)?.slug, namingBlockOf(after)?.slug]
    const detail = {
      code: 'status_changed',
      ...named,
      from: before.status.kind,
      to: after.status.kind,
      ...(fromReason === undefined ? {} : { fromReason }),
      ...(toReason === undefined ? {} : { toReason }),
      until,
    } as const
    changes.push([tone, detail])
  }
  for (const window of after.windows) {
    const wasExhausted = before.windows.some(
      (candidate) => candidate.id === window.id && candidate.state === 'exhausted',
    )
    if (window.state === 'exhausted' && !wasExhausted)
      changes.push(['warn', { code: 'window_exhausted', ...named, windowId: window.id }])
    if (window.state === 'known' && wasExhausted)
      changes.push(['good', { code: 'window_reset', ...named, windowId: window.id }])
  }
  return changes
}
