import type { Account, ProviderId } from '@svc/core'
import { providerRowOf } from '@svc/core/service'
import type { AskedVendor } from '../contract/provider.ts'
import { providerNamed } from '../known-providers.ts'

/** Whether a plugin of the proxy, and nobody else, can be asked for the quota of an account. */
export function asksPlugin({
  provider,
  supportsQuota,
}: Pick<Account, 'provider' | 'supportsQuota'>): boolean {
  return supportsQuota === true && providerNamed(provider) === null
}

const vendors = new Map<ProviderId, AskedVendor>()
const VENDORS_MAX = 1000

/** The vendor behind a plugin's provider. Only the plugin knows whom it asks, and how. */
export function pluginVendor(id: ProviderId): AskedVendor {
  const known = vendors.get(id)
  if (known !== undefined) return known
  const vendor: AskedVendor = {
    id,
    endpoint: 'quota-fetch',
    politeness: {
      // The proxy itself gives up after 60 s and reports it.
      seconds: 65,
      answerBytesMax: 256 * 1024,
      budget: {
        perAccountSeconds: providerRowOf(id).queriesApartSeconds,
        apartSeconds: 0,
        pause: { firstSeconds: 600, longestSeconds: 7200 },
        blockedPauses: false,
        revokedStops: false,
        // The plugin may have been installed meanwhile.
        unavailableSeconds: 3600,
      },
    },
  }
  if (vendors.size < VENDORS_MAX) vendors.set(id, vendor)
  return vendor
}
