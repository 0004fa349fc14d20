import type { Account } from '../facts/account.ts'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import type { ProxyObservation } from '../facts/observation.ts'
import { ASSUMED_PROVIDER } from '../facts/provider.ts'
import type { EpochMs } from '../facts/time.ts'
import { DEFAULT_UPSTREAM, fileKeyOf } from '../facts/upstream.ts'
import type { ProxyStanding } from './evaluated-pool.ts'

/** One account as an earlier process knew it. What is never stored is as if it had not been read. */
export interface RememberedAccount {
  readonly account: Account
  /** Null: nothing was ever read of it. */
  readonly evidence: AccountEvidence | null
}

/** A pool as an earlier process left it. */
export interface RememberedPool extends ProxyStanding {
  /** When its account list was read. */
  readonly listedAt: EpochMs
  readonly accounts: readonly RememberedAccount[]
}

const PENDING = { outcome: { kind: 'pending' }, failuresInARow: 0, lastGood: null } as const

/** What an earlier process would observe now: its accounts and evidence, before anything was asked. */
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

/** What is observed, with accounts and evidence as an earlier process left them. */
export function withRemembered<Observed extends ProxyObservation>(
  observation: Observed,
  { listedAt, accounts }: RememberedPool,
): Observed {
  const value = {
    accounts: accounts.map(({ account }) => account),
    otherProviders: new Map(),
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
        evidence === null ? [] : [[fileKeyOf(account), evidence] as const],
      ),
    ),
  }
}

/**
 * An account as text, to be kept: what decides its state, without what must not be kept (the workspace id, the result of a diagnostic query). Provider and
 * proxy are left out where they are those that are assumed.
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
