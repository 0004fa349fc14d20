import type { ProviderId } from '@svc/core'
import { countText } from '../../format/format.ts'
import { countsByProvider } from '../names/provider-counts.ts'

/** `24 Codex accounts`, or `24 Codex, 3 Claude accounts`: the size of a pool, given the provider of each account. */
export function countedAccountsText(providers: readonly ProviderId[]): string {
  const { named, restCount } = countsByProvider(providers)
  const parts = named.map(([label, count]) => `${countText(count)} ${label}`)
  if (restCount > 0) parts.push(`${countText(restCount)} other`)
  const counted = parts.length === 0 ? '0' : parts.join(', ')
  return `${counted} ${providers.length === 1 ? 'account' : 'accounts'}`
}
