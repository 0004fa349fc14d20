import { knownProviders, queriedProviders } from '@svc/collector'
import type { Config } from '@svc/config'
import type { ProviderId } from '@svc/core'
import { providerIds, providerLabel } from '@svc/core/service'
import { capitalised } from '@svc/views/format'
import { ok, skip, type Verdict } from './finding.ts'

/** Maximum of named providers; their names come from the proxy. */
const NAMED_MAX = 12

/**
 * Verdict on the vendors that are queried for quota, and the reasons others are not. `providers`: that of each account in the list. A pause after a
 * refusal is known to the running service alone.
 */
export function providersVerdict(config: Config, providers: readonly ProviderId[]): Verdict {
  if (providers.length === 0) return skip('the list has no account')
  const groups = providerGroupsOf(providers)
  const named = groups.slice(0, NAMED_MAX).map(({ label, id, count }) => {
    const reason = whyNotAsked(config, id)
    return `${count} ${label}: ${reason === null ? 'asked for quota' : `not asked, ${reason}`}`
  })
  const restCount = groups.slice(NAMED_MAX).reduce((sum, { count }) => sum + count, 0)
  return ok([...named, ...(restCount > 0 ? [`${restCount} of more providers`] : [])].join('; '))
}

/** Reason the vendor of a provider is not queried for quota; null if it is. */
export function whyNotAsked({ quota }: Config, provider: ProviderId): string | null {
  if (!knownProviders.some(({ id }) => id === provider))
    return 'no query of the vendor is known, but a plugin of the proxy may report quota'
  if (quota.quotaTransport === 'off') return 'quota_transport is off'
  if (queriedProviders(quota.quotaProbeProviders).some(({ id }) => id === provider)) return null
  return provider === 'antigravity'
    ? 'Google has closed accounts for such queries: quota_probe_providers must name it'
    : 'not in quota_probe_providers'
}

interface ProviderGroup {
  readonly label: string
  readonly id: ProviderId
  readonly count: number
}

/** Accounts by the label of their provider, in display order. */
export function providerGroupsOf(providers: readonly ProviderId[]): readonly ProviderGroup[] {
  const groups = new Map<string, ProviderGroup>()
  for (const id of providers) {
    const own = providerLabel(id)
    const label = own === id ? capitalised(id) : own
    groups.set(label, { label, id, count: (groups.get(label)?.count ?? 0) + 1 })
  }
  const placeOf = ({ id }: ProviderGroup) =>
    providerIds.includes(id) ? providerIds.indexOf(id) : providerIds.length
  return [...groups.values()].sort((one, other) => placeOf(one) - placeOf(other))
}
