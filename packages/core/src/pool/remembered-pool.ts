import type { AskedAccount } from '../account/asked-account.ts'
import { rememberedResets } from '../account/lapses.ts'
import type { Account } from '../facts/account.ts'
import { type AccountEvidence, evidenceFrom } from '../facts/account-evidence.ts'
import type { ProxyObservation } from '../facts/observation.ts'
import { ASSUMED_PROVIDER } from '../facts/provider.ts'
import type { EpochMs } from '../facts/time.ts'
import { DEFAULT_UPSTREAM, fileKeyOf } from '../facts/upstream.ts'
import type { BurnHours } from './burn-forecast.ts'
import type { CapacityPoint, WindowReadingRecord } from './capacity-point.ts'
import type { ProxyStanding } from './evaluated-pool.ts'
import type { PoolRecord } from './pool-record.ts'
import type { RecentChange } from './recent-changes.ts'

/** One account as stored by an earlier process. Data that is never stored counts as not read. */
export interface RememberedAccount {
  readonly account: Account
  /** Null if the account was never read. */
  readonly evidence: AccountEvidence | null
}

/** Account of a login that has its own identity at the vendor. */
export interface RememberedLogin {
  /** Hash of the vendor's identity, as in the samples of the account. */
  readonly identity: string
  readonly accountKey: string
  /** Day on which a file with this login was last listed. */
  readonly seenAt: EpochMs
}

/** A pool as an earlier process left it. */
export interface RememberedPool extends ProxyStanding {
  /** Logins with an identity, including those of removed files; omitted if none are known. */
  readonly logins?: readonly RememberedLogin[]
  /** Time the pool's account list was read. */
  readonly listedAt: EpochMs
  readonly accounts: readonly RememberedAccount[]
}

const PENDING = { outcome: { kind: 'pending' }, failuresInARow: 0, lastGood: null } as const

/** Observation that an earlier process would make now: its accounts and evidence, with the proxy not queried yet. */
export function rememberedObservation<Observed extends ProxyObservation>(
  observation: Observed,
  remembered: RememberedPool,
): Observed {
  return withRemembered(
    {
      ...observation,
      sources: { ...observation.sources, accounts: PENDING, gateway: PENDING },
    },
    remembered,
  )
}

/** The observation with the accounts and evidence an earlier process left behind. */
export function withRemembered<Observed extends ProxyObservation>(
  observation: Observed,
  { listedAt, accounts }: RememberedPool,
): Observed {
  const value = {
    accounts: accounts.map(({ account }) => account),
    skipped: [],
    requestCounters: null,
  }
  const { sources } = observation
  return {
    ...observation,
    sources: {
      ...sources,
      accounts: { ...sources.accounts, lastGood: { value, at: listedAt } },
    },
    accountListIsRemembered: true,
    evidenceByAuthName: new Map(
      accounts.flatMap(({ account, evidence }) =>
        evidence === null
          ? []
          : [[fileKeyOf(account), { ...evidence, ...rememberedResets(evidence) }] as const],
      ),
    ),
  }
}

/** Copies each account's latest query to all its files, because the vendor sees one account whichever proxy asks. */
export function withSharedQueries(pool: RememberedPool): RememberedPool {
  const askedAtByKey = new Map<string, EpochMs>()
  for (const { account, evidence } of pool.accounts) {
    const { accountKey } = account.selector
    const askedAt = evidence?.askedAt
    if (askedAt !== undefined && askedAt > (askedAtByKey.get(accountKey) ?? 0))
      askedAtByKey.set(accountKey, askedAt)
  }
  if (askedAtByKey.size === 0) return pool
  const accounts = pool.accounts.map(({ account, evidence }): RememberedAccount => {
    const askedAt = askedAtByKey.get(account.selector.accountKey)
    return {
      account,
      evidence: askedAt === undefined ? evidence : { ...(evidence ?? evidenceFrom([])), askedAt },
    }
  })
  return { ...pool, accounts }
}

/**
 * The text to store for an account: everything that decides its state, without data that must not be stored (the workspace id, the result
 * of a diagnostic query). Provider and proxy are left out if they are the defaults.
 */
export function textOfAccount({ account, evidence }: RememberedAccount): string {
  const { provider, upstream, vendorAccountId: _id, recentRequests: _requests, ...rest } = account
  const kept = {
    ...(provider === ASSUMED_PROVIDER ? {} : { provider }),
    ...(upstream === DEFAULT_UPSTREAM ? {} : { upstream }),
    ...rest,
  }
  if (evidence === null) return JSON.stringify({ account: kept, evidence })
  const { disabledProbe: _probe, elsewhere: _elsewhere, ...keptEvidence } = evidence
  return JSON.stringify({ account: kept, evidence: keptEvidence })
}

/** The text to store for a login with an identity. */
export function textOfLogin({ accountKey, seenAt }: RememberedLogin): string {
  return JSON.stringify({ accountKey, seenAt })
}

/** Store of the pool's history. Methods reject if the store cannot be used. */
export interface QuotaStore {
  /** Stores the whole record or nothing. */
  record(record: PoolRecord, memory?: PoolMemoryUpdate): Promise<void>
  /** The pool as last seen; null if it was never stored. */
  remembered(): Promise<RememberedPool | null>
  keepAsked(accounts: readonly AskedAccount[], at: EpochMs): Promise<void>
  asked(): Promise<readonly AskedAccount[]>
  /** Stores the memory of messages sent to a target, as text. */
  rememberTold(target: string, memory: string): Promise<void>
  /** Memory of sent notifications, by target name. */
  told(): Promise<ReadonlyMap<string, string>>
  /** Newest first. */
  changes(max: number): Promise<readonly RecentChange[]>
  /** Oldest first. */
  points(since: EpochMs): Promise<readonly CapacityPoint[]>
  /** Units used per hour in each window of each pool, keyed by `windowNameOf`. */
  burnHours(since: EpochMs): Promise<ReadonlyMap<string, BurnHours>>
  /** The newest reading of every account and window. */
  latestReadings(): Promise<readonly WindowReadingRecord[]>
}

/** Changes of the pool since it was last stored. */
export interface PoolMemoryUpdate extends ProxyStanding {
  readonly listedAt: number
  /** Text of an account by its file name; null for a file that is gone. */
  readonly texts: readonly (readonly [authName: string, text: string | null])[]
  /** Text of a login by its identity, as by `textOfLogin`; null for a login not listed for a long time. Omitted if none has changed. */
  readonly logins?: readonly (readonly [identity: string, text: string | null])[]
}
