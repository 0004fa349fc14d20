import type { Account, ProviderId } from '@svc/core'
import type { SourceFailureCode } from '@svc/core/service'
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

/** Providers that can be queried. */
export type Providers = readonly Provider[]

/** Providers that are one to the operator. */
const SETTING_OF: ReadonlyMap<ProviderId, string> = new Map([['kimi-ai', 'kimi']])

/** The providers with these names in the configuration. */
export function queriedProviders(
  names: readonly string[],
  providers: Providers = knownProviders,
): Providers {
  return providers.filter(({ id }) => names.includes(SETTING_OF.get(id) ?? id))
}

/** Finds the provider of an account among these. */
export function providerIn(providers: Providers): QueriedProvider {
  const byName = new Map<ProviderId, Provider>(providers.map((one) => [one.id, one]))
  return ({ provider }) => byName.get(provider) ?? null
}

/** Finds the provider of an account among all. */
export const anyProvider: QueriedProvider = ({ provider }) => providerNamed(provider)

/** Finds the vendor behind a plugin too. */
export function withPlugins(queriedProvider: QueriedProvider): QueriedProvider<AskedVendor> {
  return (account) =>
    queriedProvider(account) ?? (asksPlugin(account) ? pluginVendor(account.provider) : null)
}

/** The provider of an account that is queried. Throws for any other account: `canQuery` forbids its query. */
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

/** A way to query one account's quota at the vendor. */
export interface QuotaTransport {
  /** Name of the call in metrics and logs. */
  endpointOf(account: Account): string
  /** Whether queries may go out at all now. */
  ready(): boolean
  /** Reason why no query can go out until somebody intervenes; null while queries go out or may soon. */
  refusal(): SourceFailureCode | null
  /** Whether this account can be queried. */
  canQuery(account: Account): boolean
  /**
   * Queries one account; one disabled by the operator only if `isDiagnostic`. Throws UpstreamError if the connection to the vendor failed;
   * `isHeld` of that error is true if nothing was sent.
   */
  query(account: Account, stop: AbortSignal, isDiagnostic: boolean): Promise<ProbeResult>
  /** Asks for the plan of one enabled account. Throws like `query`. */
  queryPlan(account: Account, stop: AbortSignal): Promise<PlanResult>
}
