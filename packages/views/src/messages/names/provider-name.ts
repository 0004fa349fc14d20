import type { ProviderId } from '@svc/core'
import { providerIds, providerLabel } from '@svc/core/service'
import { capitalised } from '../../format/format.ts'

/** The name of a provider as shown, also at the start of a text: `xAI`, and `Kiro` for one that has no name here. */
export function providerName(provider: ProviderId): string {
  const label = providerLabel(provider)
  return providerIds.includes(provider) ? label : capitalised(label)
}
