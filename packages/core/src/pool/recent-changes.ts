import type { AccountStatusKind, Tone } from '../account/account-status.ts'
import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import type { BenchmarkSummary } from '../facts/observation.ts'
import type { PlanKind } from '../facts/plan.ts'
import type { EpochMs } from '../facts/time.ts'
import type { WindowId } from '../facts/window.ts'
import type { EvaluatedPool, SnapshotSourceKind } from './evaluated-pool.ts'

/** The account a change is about. */
interface ChangedAccount {
  readonly title: string
  /** Left out where it is not known: changes were once stored without it. */
  readonly accountKey?: string
}

/** What changed between two snapshots; the wording lives in views. */
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
      readonly until: EpochMs | null
    })
  | (ChangedAccount & {
      readonly code: 'window_exhausted' | 'window_reset'
      readonly windowId: WindowId
    })
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

/** Tone of a snapshot source. */
const SOURCE_TONE: Readonly<Record<SnapshotSourceKind, Tone>> = {
  live: 'good',
  demo: 'good',
  partial: 'warn',
  stale: 'warn',
  unavailable: 'bad',
}

/** What is different in `next`, dated by its evaluation. */
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
  // The first account list does not change the pool.
  if (!previous.available || !next.available) return changes

  const gone = new Map(previous.accounts.map((account) => [account.selector.authName, account]))
  const same = next.accounts.map(({ selector }) => {
    const before = gone.get(selector.authName)
    if (before?.selector.accountKey !== selector.accountKey) return undefined
    gone.delete(selector.authName)
    return before
  })
  const goneByKey = new Map(
    [...gone.values()].map((account) => [account.selector.accountKey, account]),
  )
  for (const [index, account] of next.accounts.entries()) {
    const { authName, accountKey } = account.selector
    const before = same[index]
    const renamed = goneByKey.get(accountKey)
    if (before !== undefined) {
      for (const [tone, detail] of accountChanges(before, account)) note(tone, detail)
    } else if (renamed !== undefined) {
      gone.delete(renamed.selector.authName)
      goneByKey.delete(accountKey)
      note('good', {
        code: 'account_renamed',
        ...namedIn(account),
        fromAuthName: renamed.selector.authName,
        toAuthName: authName,
      })
    } else {
      note('good', { code: 'account_added', ...namedIn(account) })
    }
  }
  for (const account of gone.values())
    note('warn', { code: 'account_removed', ...namedIn(account) })
  return changes
}

/** The proxy counts from the beginning again. */
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

function namedIn({ title, selector }: EvaluatedAccount): ChangedAccount {
  return { title, accountKey: selector.accountKey }
}

function accountChanges(
  before: EvaluatedAccount,
  after: EvaluatedAccount,
): readonly (readonly [Tone, ChangeDetail])[] {
  const named = namedIn(after)
  const changes: [Tone, ChangeDetail][] = []
  if (before.plan !== after.plan)
    changes.push(['good', { code: 'plan_changed', ...named, from: before.plan, to: after.plan }])
  if (before.status.kind !== after.status.kind) {
    const { tone, until } = after.status
    changes.push([
      tone,
      { code: 'status_changed', ...named, from: before.status.kind, to: after.status.kind, until },
    ])
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
