import type { Account, EpochMs, ProviderId } from '@svc/core'
import type { BankedListQuery, SourceFailureCode } from '@svc/core/service'
import type {
  AskedVendor,
  PlanReading,
  ProbeResult,
  Provider,
} from '../providers/contract/provider.ts'
import {
  asksPlugin,
  knownProviders,
  pluginVendor,
  providerNamed,
} from '../providers/known-providers.ts'

/** The provider of an account; null if the account is not queried. */
export type QueriedProvider<Vendor extends AskedVendor = Provider> = (
  account: Pick<Account, 'provider' | 'supportsQuota'>,
) => Vendor | null

export type Providers = readonly Provider[]

/** Providers that share one name in the configuration. */
const SETTING_OF: ReadonlyMap<ProviderId, string> = new Map([['kimi-ai', 'kimi']])

/** The providers with these names in the configuration. */
export function queriedProviders(
  names: readonly string[],
  providers: Providers = knownProviders,
): Providers {
  return providers.filter(({ id }) => names.includes(SETTING_OF.get(id) ?? id))
}

/** Creates a function that finds an account's provider among these. */
export function providerIn(providers: Providers): QueriedProvider {
  const byName = new Map<ProviderId, Provider>(providers.map((one) => [one.id, one]))
  return ({ provider }) => byName.get(provider) ?? null
}

/** Finds an account's provider among all known providers. */
export const anyProvider: QueriedProvider = ({ provider }) => providerNamed(provider)

/** Extends the search to the vendors behind plugins. */
export function withPlugins(queriedProvider: QueriedProvider): QueriedProvider<AskedVendor> {
  return (account) =>
    queriedProvider(account) ?? (asksPlugin(account) ? pluginVendor(account.provider) : null)
}

/** The provider of a queried account. Throws for any other account, whose query `canQuery` forbids. */
export function queried<Vendor extends AskedVendor>(
  queriedProvider: QueriedProvider<Vendor>,
  account: Account,
): Vendor {
  const known = queriedProvider(account)
  if (known === null) throw new Error(`accounts of ${account.provider} are not queried`)
  return known
}

/** The plan of an account, or the reason it is not known; null if the answer names none. */
export type PlanResult = PlanReading | ProbeResult | null

/** Expiries of an account's banked resets, soonest first; null unless answered. */
export interface BankedListResult {
  readonly outcome: BankedListQuery['outcome']
  readonly expiresAt: readonly EpochMs[] | null
}

/** Access to the quota of single accounts at the vendor. */
export interface QuotaTransport {
  /** Name of the call in metrics and logs. */
  endpointOf(account: Account): string
  /** Whether any query may be sent now. */
  ready(): boolean
  /** Reason why no query can be sent until somebody intervenes; null while queries are sent or may soon be. */
  refusal(): SourceFailureCode | null
  canQuery(account: Account): boolean
  /**
   * Queries one account; an account disabled by the operator only if `isDiagnostic`. Throws UpstreamError if the connection to the vendor failed;
   * `isHeld` is true for the error if nothing was sent.
   */
  query(account: Account, stop: AbortSignal, isDiagnostic: boolean): Promise<ProbeResult>
  /** Queries the plan of one enabled account. Throws like `query`. */
  queryPlan(account: Account, stop: AbortSignal): Promise<PlanResult>
  /** Queries the banked resets of one enabled account. Throws like `query`. */
  queryBankedList(account: Account, stop: AbortSignal): Promise<BankedListResult>
}
