import type { ProviderId } from '@svc/core'
import type { ProviderPool } from '@svc/core/pool'
import { ASSUMED_PROVIDER, providerRowOf } from '@svc/core/service'

/** Noun of each unit of capacity, as in `3 Plus`. */
export const unitNames: Readonly<Record<ProviderPool['unit'], string>> = {
  plus: 'Plus',
  pro: 'Pro',
  accounts: 'accounts',
  mixed: 'units',
}

/** The unit of a provider; left out: Codex. */
export function unitOf(provider: ProviderId = ASSUMED_PROVIDER): ProviderPool['unit'] {
  return providerRowOf(provider).unit
}
