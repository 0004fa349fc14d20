import type { ProviderId } from '@svc/core'
import type { ProviderPool } from '@svc/core/pool'
import { providerRowOf } from '@svc/core/service'

/** Noun of each unit of capacity, as in `3 Plus`. */
export const unitNames: Readonly<Record<ProviderPool['unit'], string>> = {
  plus: 'Plus',
  pro: 'Pro',
  accounts: 'accounts',
  mixed: 'units',
}

/** Noun of a unit after a number as it is shown, as in `of 1 account`. */
export function unitNoun(shown: string, unit: ProviderPool['unit']): string {
  return unit === 'accounts' && shown === '1' ? 'account' : unitNames[unit]
}

/** The unit of a provider's capacity. */
export function unitOf(provider: ProviderId): ProviderPool['unit'] {
  return providerRowOf(provider).unit
}
