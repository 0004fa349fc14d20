import type { QuotaSample } from './reading.ts'
import type { EpochMs } from './time.ts'

/** Kind of direct query an account gets next. `none`: it is not queried. */
export type QuotaClass = 'primary' | 'recovery' | 'discovery' | 'none'

export interface ProbeFailure {
  readonly at: EpochMs
  /**
   * `auth`: the vendor refused the login. `blocked`: it refused us, not the account. `unavailable`: it does not offer the query to this login. The
   * other kinds say nothing about the account.
   */
  readonly kind: 'auth' | 'blocked' | 'unavailable' | 'throttled' | 'failed'
  /** HTTP status of the vendor's answer; null if there was none. */
  readonly httpStatus: number | null
  /** Failed queries since the last good one, including this one. */
  readonly inARow: number
  /** Time of the first of several unknown refusals (4xx) in a row; left out: `at`. */
  readonly firstAt?: EpochMs
}

/** Refusals of an account's login by the vendor, in a row. A single one proves nothing: the proxy may just have dropped the account's index. */
export interface RefusedLogin {
  readonly inARow: number
  /** Left out for the first refusal: `lastAt`. */
  readonly firstAt?: EpochMs
  readonly lastAt: EpochMs
  readonly httpStatus: number
  /** True if the vendor said that the login has ended for good; left out: it may only be expired. */
  readonly revoked?: true
  /** True if the vendor said that the account or its plan has ended; left out: it did not. */
  readonly deactivated?: true
}

/** Pause of all queries of a vendor, kept with the account whose query was refused. */
export interface VendorRefusal {
  readonly until: EpochMs
  /** Pauses in a row, without a sample of the vendor in between; at least 1. */
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

/** Everything read about one account outside the account list. */
export interface AccountEvidence {
  /** Newest sample of each origin, and older ones for windows it lacks, as by `withPassiveSample`; origins without samples are left out. */
  readonly samples: readonly QuotaSample[]
  /** Failure of the last direct query; null if it succeeded or none was made. */
  readonly probeFailure: ProbeFailure | null
  /** Direct queries the vendor refused with 401 or 402 since the last good one; null without any. */
  readonly refusedLogin: RefusedLogin | null
  /** Seconds between two planned direct queries of this account; decides when a sample is stale. */
  readonly plannedIntervalSeconds: number
  readonly disabledProbe: DisabledProbe
  /** Time the last query was sent; left out without one, and for a vendor whose queries have no budget. */
  readonly askedAt?: EpochMs
  /** Plan by the vendor's answer to a query for it alone, null if it named none, and the time of the last such query; left out before the first. */
  readonly vendorPlan?: { readonly plan: string | null; readonly askedAt: EpochMs }
  /** Left out unless the last query was refused. */
  readonly vendorPause?: VendorRefusal
  /** Evidence from other proxies that list the account; left out if none does. */
  readonly elsewhere?: EvidenceElsewhere
}

/** Evidence of an account from other proxies. It counts for the account's quota, but proves nothing about the login at this proxy. */
export interface EvidenceElsewhere {
  readonly samples: readonly QuotaSample[]
  /** Latest instant by which a request through another proxy had succeeded; null if no success is known. */
  readonly lastSuccessAt: EpochMs | null
}

/** Every sample of the account, from all proxies. */
export function allSamplesOf(evidence: AccountEvidence | null): readonly QuotaSample[] {
  if (evidence === null) return []
  const { samples, elsewhere } = evidence
  return elsewhere === undefined ? samples : [...samples, ...elsewhere.samples]
}

/** Evidence that rests on these samples alone. */
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
