import type { LoginLossCause, RefusedQuery, Tone } from '../account/account-status.ts'
import { type BlockedReason, namingBlockOf } from '../account/blocked-reasons.ts'
import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import type { Subscription } from '../account/lapses.ts'
import type { EngineName, HistoryFailureCode, ReadFailure } from '../facts/history-state.ts'
import type { KeyFileProblem, ManagementAccess, SecretFile } from '../facts/management-access.ts'
import type { NotifyFailure } from '../facts/notify.ts'
import { type Observation, type WatchedProxy, watchedProxies } from '../facts/observation.ts'
import type { ProviderId } from '../facts/provider.ts'
import type { SourceId } from '../facts/source.ts'
import type { ClockDoubt, EpochMs } from '../facts/time.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import type { MainWindowId, WindowId } from '../facts/window.ts'
import type { EvaluatedPool } from '../pool/evaluated-pool.ts'
import { allAccountsOf, otherPools, upstreamsByAccountKey } from '../pool/provider-pool.ts'
import { type AccountFault, accountFaultOf, accountFaults, loginWaveOf } from './account-faults.ts'
import { areDirectQueriesDegraded } from './source-health.ts'

/** An account as identified in health actions. */
export interface NamedAccount {
  readonly authName: string
  readonly accountKey: string
  readonly title: string
  /** The block that decides the account's displayed state; omitted if the account may be used. */
  readonly reason?: BlockedReason
  /** Other proxies through which the account can be used; omitted if there are none. */
  readonly usableAt?: readonly UpstreamName[]
}

/** Banked resets of an account that lapse within a week. */
export interface LapsingResets {
  /** The soonest expiry. */
  readonly until: EpochMs
  readonly resetCount: number
  /** Reset of the week if it is used up, so that a banked reset gives the most; null if it is not, or the time is unknown. */
  readonly weekUsedUpUntil: EpochMs | null
}

export interface WaveAccount extends NamedAccount {
  readonly cause: LoginLossCause
  readonly lostAt: EpochMs
}

/** Something an operator must do. The displayed text and remedy are in the views package. */
export type HealthAction =
  | { readonly code: 'gateway_down'; readonly since: EpochMs; readonly address?: string }
  | { readonly code: 'management_key_missing' }
  | { readonly code: 'management_key_unreadable'; readonly reason: KeyFileProblem }
  | {
      readonly code: 'management_key_refused'
      readonly at: EpochMs
      readonly nextAttemptAt: EpochMs
      readonly failure: 'unauthorized' | 'forbidden'
    }
  | { readonly code: 'management_banned'; readonly until: EpochMs }
  | {
      readonly code:
        | 'key_file_readable_by_others'
        | 'labels_file_readable_by_others'
        | 'password_file_readable_by_others'
        | 'auth_files_readable_by_others'
    }
  | {
      readonly code: 'clock_doubted'
      readonly reason: ClockDoubt['reason']
      readonly aheadSeconds: number
    }
  | {
      readonly code: 'snapshot_partial'
      readonly failedSources: readonly SourceId[]
      /** Proxies at which the sources failed; omitted if the configuration lists none, or if one of the sources is read once for all proxies. */
      readonly failedAt?: readonly UpstreamName[]
      /** Proxies whose account list was never read. */
      readonly unread?: readonly UpstreamName[]
      readonly old?: readonly UpstreamName[]
      /** Whether all numbers that do not come from these sources are current. */
      readonly othersCurrent: boolean
    }
  | { readonly code: 'snapshot_stale'; readonly sampledAt: EpochMs }
  | { readonly code: 'snapshot_unavailable' }
  /** One action per account for up to 5 accounts, and one joint action for more. */
  | {
      readonly code: 'auth_invalid' | 'deactivated' | 'account_unavailable' | 'quota_hit'
      readonly accounts: readonly NamedAccount[]
    }
  /** Quota queries are refused for an unknown reason. One action per account for up to 5 accounts, and one joint action for more. */
  | {
      readonly code: 'quota_query_refused'
      readonly accounts: readonly (NamedAccount & RefusedQuery)[]
    }
  /** At least 2 accounts that lost their login at about the same time, in order of loss. */
  | { readonly code: 'login_wave'; readonly accounts: readonly WaveAccount[] }
  /** One action per account for up to 5 accounts, and one joint action for more, sorted by end of subscription. */
  | {
      readonly code: 'subscription_ends'
      readonly accounts: readonly (NamedAccount & Subscription)[]
    }
  /** One action per account for up to 5 accounts, and one joint action for more, sorted by the soonest expiry. */
  | {
      readonly code: 'banked_reset_lapses'
      readonly accounts: readonly (NamedAccount & LapsingResets)[]
    }
  | ({
      readonly code: 'nothing_routable'
      readonly blockedCount: number
      readonly nextRoutableAt: EpochMs | null
    } & OfProvider)
  | {
      readonly code: 'five_hour_below_minimum' | 'weekly_below_minimum'
      readonly knownUnits: number
      readonly minimumUnits: number
    }
  | {
      readonly code: 'routable_below_minimum'
      readonly routableCount: number
      readonly minimumCount: number
    }
  /** At the expected burn, a window of the pool is empty at `runsDryAt`. */
  | ({
      readonly code: 'runway_short'
      readonly windowId: MainWindowId
      readonly runsDryAt: EpochMs
      /** Plus units that resets return before `runsDryAt`, and the time of the first such reset; null without one. */
      readonly returnsBefore: { readonly units: number; readonly firstAt: EpochMs } | null
      /** The first reset after `runsDryAt` that returns units; null if none is known. */
      readonly returnsAgainAt: EpochMs | null
    } & OfProvider)
  | ({
      readonly code: 'capacity_low'
      readonly windowId: WindowId
      readonly knownUnits: number
      readonly trackedUnits: number
    } & OfProvider)
  /** One action per account for up to 5 accounts, one with their sums for more. */
  | {
      readonly code: 'failing_account'
      readonly accounts: readonly NamedAccount[]
      /** Requests in the last hour. */
      readonly requestCount: number
      readonly failedCount: number
    }
  | {
      readonly code: 'direct_quota_degraded'
      readonly recentFailed: number
      readonly recentCount: number
    }
  | {
      readonly code: 'history_failing'
      readonly reason: HistoryFailureCode
      readonly since: EpochMs
      readonly engine: EngineName
    }
  | ({ readonly code: 'history_unreadable'; readonly engine: EngineName } & ReadFailure)
  | { readonly code: 'history_wal_large'; readonly walBytes: number }
  /** The proxy answers, but its usage cannot be read. */
  | { readonly code: 'usage_failing'; readonly since: EpochMs }
  | { readonly code: 'usage_missed'; readonly missedSeconds: number }
  | { readonly code: 'history_backlog'; readonly backlogSeconds: number }
  | { readonly code: 'history_disk_filling'; readonly freeBytes: number; readonly days: number }
  | { readonly code: 'history_lagging'; readonly lagSeconds: number }
  /** `share`: part of the tokens of 7 days that have no price, 0..1. */
  | { readonly code: 'prices_stale'; readonly share: number; readonly since: EpochMs }
  | { readonly code: 'usage_rival' | 'usage_way_lost' | 'subscriber_dropped' }
  /** `generation`: that of a v8 proxy, whose configuration has other names; omitted for others. */
  | { readonly code: 'usage_statistics_off'; readonly generation?: 'v8' }
  | {
      readonly code: 'usage_retention_short'
      readonly retentionSeconds: number
      readonly neededSeconds: number
      readonly generation?: 'v8'
    }
  | { readonly code: 'risky_listener'; readonly host: string }
  /** A message to the target was given up, and none has arrived since. */
  | {
      readonly code: 'notify_failing'
      readonly target: string
      readonly failure: NotifyFailure
      readonly since: EpochMs
    }
  /** No evaluation has finished since `since`: the pipeline has ended or hangs. */
  | { readonly code: 'evaluation_stalled'; readonly since: EpochMs }

/** The pool that an action concerns. */
interface OfProvider {
  readonly provider: ProviderId
}

/** An action with the tone of its cause. */
export interface ToneAction {
  readonly tone: Tone
  readonly action: HealthAction
  /** Time the cause was first seen; omitted if the action itself has one, or if the cause is new in this evaluation. */
  readonly since?: EpochMs
  /** The proxy concerned; left out if the configuration lists none, and for actions about all proxies. */
  readonly upstream?: UpstreamName
}

export const badAction = (action: HealthAction): ToneAction => ({ tone: 'bad', action })
export const warnAction = (action: HealthAction): ToneAction => ({ tone: 'warn', action })

/** Accounts with the same fault get one action each up to this number. See docs/rules.md#health. */
export const GROUPED_ABOVE = 5

export function accessActions(observation: Observation): readonly ToneAction[] {
  const proxies = watchedProxies(observation)
  const isOfOne = (file: SecretFile) =>
    proxies.some(({ openSecretFiles }) => openSecretFiles.includes(file))
  const actions = [
    ...proxies.flatMap((one) => atUpstream(one.name, accessActionsOfOne(one))),
    ...openFileActions(observation.openSecretFiles.filter((file) => !isOfOne(file))),
  ]
  if (observation.clockDoubt !== null)
    actions.push(badAction({ code: 'clock_doubted', ...observation.clockDoubt }))
  return actions
}

/** Adds the proxy's name to each action; unchanged without a name. */
export function atUpstream(
  upstream: UpstreamName | undefined,
  actions: readonly ToneAction[],
): readonly ToneAction[] {
  return upstream === undefined ? actions : actions.map((action) => ({ ...action, upstream }))
}

function accessActionsOfOne(observation: WatchedProxy): readonly ToneAction[] {
  const actions: ToneAction[] = []
  const { management } = observation
  const { gateway } = observation.sources
  if (gateway.outcome.kind === 'failed' && gateway.failuresInARow >= 2) {
    const since = gateway.lastGood?.at ?? gateway.outcome.at
    const place = gateway.address === undefined ? {} : { address: gateway.address }
    actions.push(badAction({ code: 'gateway_down', since, ...place }))
  }
  const refusal = refusedAccess(management)
  if (refusal !== null) actions.push(badAction(refusal))
  return [...actions, ...openFileActions(observation.openSecretFiles)]
}

function refusedAccess(management: ManagementAccess): HealthAction | null {
  switch (management.kind) {
    case 'no_key':
      return { code: 'management_key_missing' }
    case 'unreadable_key':
      return { code: 'management_key_unreadable', reason: management.reason }
    case 'refused': {
      const { kind: _kind, ...refusal } = management
      return { code: 'management_key_refused', ...refusal }
    }
    case 'banned':
      return { code: 'management_banned', until: management.until }
    case 'unproven':
    case 'accepted':
      return null
    default:
      return management satisfies never
  }
}

function openFileActions(files: readonly SecretFile[]): readonly ToneAction[] {
  return files.map((file) => ({ tone: 'warn', action: { code: OPEN_FILE_CODES[file] } }))
}

const OPEN_FILE_CODES = {
  management_key: 'key_file_readable_by_others',
  client_labels: 'labels_file_readable_by_others',
  auth_files: 'auth_files_readable_by_others',
} as const satisfies Readonly<Record<SecretFile, HealthAction['code']>>

/**
 * Actions about accounts. A disabled account gets none unless the proxy also reports a fault. A login wave continues from `previous`, the actions of
 * the last evaluation.
 */
export function accountActions(
  pool: EvaluatedPool,
  previous: readonly ToneAction[] = [],
): readonly ToneAction[] {
  const all = allAccountsOf(pool)
  const named = pool.upstreams === undefined ? namedAccount : namedAmong(all)
  const waveAt = (upstream: UpstreamName | undefined) =>
    previous.flatMap(({ action, upstream: at }) =>
      action.code === 'login_wave' && at === upstream
        ? action.accounts.map(({ accountKey }) => accountKey)
        : [],
    )
  const names = pool.upstreams?.map(({ name }) => name) ?? [undefined]
  const actions = names.flatMap((name) => {
    const ofIt = all.filter(({ account }) => name === undefined || account.upstream === name)
    return atUpstream(name, accountActionsOfOne(ofIt, named, waveAt(name)))
  })
  if (!pool.available) return actions
  const unroutable = [...otherPools(pool), pool].filter(({ routableCount }) => routableCount === 0)
  for (const { provider, blockedCount, nextRoutableAt } of unroutable)
    actions.unshift(badAction({ code: 'nothing_routable', blockedCount, nextRoutableAt, provider }))
  return actions
}

/** Actions about the accounts of one proxy. `earlier`: keys of the accounts already in its login wave. */
function accountActionsOfOne(
  accounts: readonly EvaluatedAccount[],
  named: (account: EvaluatedAccount) => NamedAccount,
  earlier: readonly string[],
): ToneAction[] {
  const faulty = accounts.flatMap((account) => {
    const fault = accountFaultOf(account)
    return fault === null ? [] : [{ account, fault, loss: account.loginLoss }]
  })
  const lost = faulty.filter(({ loss }) => loss !== null).map(({ account }) => account)
  const keyOf = ({ selector }: EvaluatedAccount) => selector.accountKey
  const wave = loginWaveOf(lost, { poolSize: new Set(accounts.map(keyOf)).size, earlier })
  const inWave = new Set(wave.map(({ account }) => keyOf(account)))
  const alone = faulty.filter(({ account, loss }) => loss === null || !inWave.has(keyOf(account)))
  const singles = accountFaults.flatMap(({ code, tone }) => {
    const alike = alone.filter(({ fault }) => fault.code === code)
    return faultActions(
      tone,
      code,
      alike.map(({ account }) => named(account)),
    )
  })
  const refused = accounts.flatMap((one) =>
    one.refusedQuery === undefined || one.account.operatorDisabled || one.deactivated
      ? []
      : [{ ...named(one), ...one.refusedQuery }],
  )
  for (const group of grouped(refused))
    singles.push(warnAction({ code: 'quota_query_refused', accounts: group }))
  const [first] = wave
  if (first === undefined) return singles
  const waveAccounts = wave.map(({ account, ...loss }) => ({ ...named(account), ...loss }))
  const action = { code: 'login_wave', accounts: waveAccounts } as const
  return [{ tone: 'bad', action, since: first.lostAt }, ...singles]
}

/** Actions about failing direct queries, separately for each proxy; empty if none fail. */
export function directQuotaActions(observation: Observation): readonly ToneAction[] {
  return watchedProxies(observation).flatMap(({ name, sources: { direct_quota } }) => {
    const tally = direct_quota.lastGood?.value
    if (tally === undefined || !areDirectQueriesDegraded(direct_quota)) return []
    const { recentFailed, recentCount } = tally
    const action = { code: 'direct_quota_degraded', recentFailed, recentCount } as const
    return atUpstream(name, [{ tone: 'warn', action }])
  })
}

/** Action about a listen address that other machines can reach; empty if there is none. */
export function exposureActions(exposedHost: string | null): readonly ToneAction[] {
  return exposedHost === null ? [] : [warnAction({ code: 'risky_listener', host: exposedHost })]
}

/** An action for each target whose messages do not arrive. */
export function notifyActions({ notify = [] }: Pick<Observation, 'notify'>): readonly ToneAction[] {
  return notify.flatMap(({ name: target, isFailing, failure }): readonly ToneAction[] => {
    if (!isFailing || failure === null) return []
    const { code, since } = failure
    return [warnAction({ code: 'notify_failing', target, failure: code, since })]
  })
}

function faultActions(
  tone: Tone,
  code: AccountFault['code'],
  named: readonly NamedAccount[],
): ToneAction[] {
  return grouped(named).map((accounts) => ({ tone, action: { code, accounts } }))
}

/** Splits accounts into groups of one; keeps them as one group if there are more than `GROUPED_ABOVE`. */
function grouped<Named>(named: readonly Named[]): readonly (readonly Named[])[] {
  return named.length > GROUPED_ABOVE ? [named] : named.map((account) => [account])
}

export function namedAccount(account: EvaluatedAccount): NamedAccount {
  const { selector, title } = account
  const reason = namingBlockOf(account)?.slug
  return {
    authName: selector.authName,
    accountKey: selector.accountKey,
    title,
    ...(reason === undefined ? {} : { reason }),
  }
}

/** Names accounts of several proxies, with the other proxies at which each can be used, because every proxy needs its own login. */
function namedAmong(accounts: readonly EvaluatedAccount[]) {
  const usableAt = upstreamsByAccountKey(accounts.filter(({ routable }) => routable))
  return (account: EvaluatedAccount): NamedAccount => {
    const names = usableAt.get(account.selector.accountKey)
    return { ...namedAccount(account), ...(names === undefined ? {} : { usableAt: names }) }
  }
}
