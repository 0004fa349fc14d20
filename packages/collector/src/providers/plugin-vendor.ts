import type { Account, ProviderId } from '@svc/core'
import type { AskedVendor } from './contract/provider.ts'
import { usualPoliteness } from './contract/usual-politeness.ts'
import { providerNamed } from './known-providers.ts'

/** Whether a plugin of the proxy, and nobody else, can be asked for the quota of an account. */
export function asksPlugin({
  provider,
  supportsQuota,
}: Pick<Account, 'provider' | 'supportsQuota'>): boolean {
  return supportsQuota === true && providerNamed(provider) === null
}

/** The vendor behind a plugin's provider. Only the plugin knows whom it asks, and how. */
export function pluginVendor(id: ProviderId): AskedVendor {
  // A plugin may be installed within the hour.
  return {
    id,
    endpoint: 'quota-fetch',
    politeness: usualPoliteness(id, { unavailableSeconds: 3600 }),
  }
}
