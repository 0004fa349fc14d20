import type { QuotaSample } from './reading.ts'
import type { EpochMs } from './time.ts'

/** Kind of the next direct query of an account. `none`: it is not queried. */
export type QuotaClass = 'primary' | 'recovery' | 'discovery' | 'none'

export interface ProbeFailure {
  readonly at: EpochMs
  /**
   * `auth`: the vendor refused the login. `blocked`: it refused our address, not the account. `unavailable`: it does not offer the query to this
   * login. The other kinds say nothing about the account.
   */
  readonly kind: 'auth' | 'blocked' | 'unavailable' | 'throttled' | 'failed'
  /** HTTP status of the vendor's answer; null if there was none. */
  readonly httpStatus: number | null
  /** Consecutive failed queries, including this one. */
  readonly inARow: number
  /** Time of the first of several consecutive unknown refusals (4xx); equals `at` if omitted. */
  readonly firstAt?: EpochMs
}

/** Consecutive refusals of an account's login by the vendor. A single one proves nothing: the proxy may have just dropped the account's index. */
export interface RefusedLogin {
  readonly inARow: number
  /** Time of the first refusal; omitted if there was only one, at `lastAt`. */
  readonly firstAt?: EpochMs
  readonly lastAt: EpochMs
  readonly httpStatus: number
  /** True if the vendor said that the login was ended for good; omitted if it may only have expired. */
  readonly revoked?: true
  /** True if the vendor said that the account or its plan has ended; omitted otherwise. */
  readonly deactivated?: true
}

/** Pause of all queries to a vendor, stored with the account whose query was refused. */
export interface VendorRefusal {
  readonly until: EpochMs
  /** Consecutive pauses without a sample of the vendor in between; at least 1. */
  readonly inARow: number
  readonly reason: 'throttled' | 'blocked'
}

/** Result of the last diagnostic query of an operator-disabled account. */
export type DisabledProbe =
  | { readonly state: 'unknown' }
  | {
      readonly state: 'ok' | 'exhausted' | 'auth_invalid' | 'error'
      readonly probedAt: EpochMs
      readonly httpStatus: number | null
      readonly sample: QuotaSample | null
    }

/** Everything known about one account from sources other than the account list. */
export interface AccountEvidence {
  /** Newest sample of each origin, plus older ones for windows it lacks, as in `withPassiveSample`; origins without samples are omitted. */
  readonly samples: readonly QuotaSample[]
  /** Failure of the last direct query; null if that query succeeded or there was none. */
  readonly probeFailure: ProbeFailure | null
  /** Direct queries that the vendor has refused with 401 or 402 since the last success; null without any. */
  readonly refusedLogin: RefusedLogin | null
  /** Seconds between two planned direct queries of this account. It decides when a sample is stale. */
  readonly plannedIntervalSeconds: number
  readonly disabledProbe: DisabledProbe
  /** Time the last query was sent; omitted if there was none, and for a vendor whose queries have no budget. */
  readonly askedAt?: EpochMs
  /**
   * Plan according to the vendor's answer to a query for the plan alone (null if it stated none), and the time of the last such query; omitted before
   * the first.
   */
  readonly vendorPlan?: { readonly plan: string | null; readonly askedAt: EpochMs }
  /** Resets that the account's owner may spend; omitted before a reading tells how many. */
  readonly bankedResets?: BankedResets
  /** Pause requested by the vendor; omitted unless the last query was refused. */
  readonly vendorPause?: VendorRefusal
  /** Evidence from other proxies that list the account; omitted if none does. */
  readonly elsewhere?: EvidenceElsewhere
}

/** Resets that the owner of an account may spend, as the vendor last told. */
export interface BankedResets {
  /** 0 to 999. */
  readonly count: number
  readonly sampledAt: EpochMs
  /** Expiries in the vendor's last list of them, soonest first, at most 10; empty if unknown. */
  readonly expiresAt: readonly EpochMs[]
  /** True if an earlier process was told the count, and this one was not yet. */
  readonly isRemembered?: true
  /** The last query for that list; omitted before the first. */
  readonly listQuery?: BankedListQuery
}

export interface BankedListQuery {
  readonly askedAt: EpochMs
  /** The count at the last answered query, to which the expiries belong. */
  readonly count: number
  /** `missing`: the vendor has no such list for the account. */
  readonly outcome: 'answered' | 'failed' | 'missing'
}

/** Evidence about an account from other proxies. It counts for the account's quota, but proves nothing about the login at this proxy. */
export interface EvidenceElsewhere {
  readonly samples: readonly QuotaSample[]
  /** Upper bound of the time of the last successful request through another proxy; null if no success is known. */
  readonly lastSuccessAt: EpochMs | null
}

/** Every sample of the account, from all proxies. */
export function allSamplesOf(evidence: AccountEvidence | null): readonly QuotaSample[] {
  if (evidence === null) return []
  const { samples, elsewhere } = evidence
  return elsewhere === undefined ? samples : [...samples, ...elsewhere.samples]
}

/** Evidence that consists of these samples alone. */
export function evidenceFrom(
  samples: readonly QuotaSample[],
  plannedIntervalSeconds = 300,
): AccountEvidence {
  return {
    samples,
    probeFailure: null,
    refusedLogin: null,
    plannedIntervalSeconds,
    disabledProbe: { state: 'unknown' },
  }
}
