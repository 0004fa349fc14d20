import type { Account, ProviderId } from '@svc/core'
import type { AskedVendor, Provider } from '../providers/contract/provider.ts'
import { knownProviders, providerNamed } from '../providers/known-providers.ts'
import { asksPlugin, pluginVendor } from '../providers/plugin-vendor.ts'

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
