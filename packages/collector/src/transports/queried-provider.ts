import type { Account, ProviderId } from '@svc/core'
import type { Provider } from '../providers/contract/provider.ts'
import { knownProviders } from '../providers/known-providers.ts'

/** The provider with this name; null if its accounts are not queried. */
export type QueriedProvider = (name: ProviderId) => Provider | null

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

/** Finds a provider among these by its name. */
export function providerIn(providers: Providers): QueriedProvider {
  const byName = new Map<ProviderId, Provider>(providers.map((one) => [one.id, one]))
  return (name) => byName.get(name) ?? null
}

/** The provider of an account that is queried. Throws for any other account: `canQuery` forbids its query. */
export function queried(queriedProvider: QueriedProvider, { provider }: Account): Provider {
  const known = queriedProvider(provider)
  if (known === null) throw new Error(`accounts of ${provider} are not queried`)
  return known
}
