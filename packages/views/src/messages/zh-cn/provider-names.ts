import type { ProviderId } from '@svc/core'
import { countText } from '../../format/format.ts'
import { countsByProvider } from '../names/provider-counts.ts'

/** `24 个 Codex 账号`, or `24 个 Codex、3 个 Claude 账号`: the size of a pool, given the provider of each account. */
export function countedAccountsText(providers: readonly ProviderId[]): string {
  const { named, restCount } = countsByProvider(providers)
  const parts = named.map(([label, count]) => `${countText(count)} 个 ${label}`)
  if (restCount > 0) parts.push(`${countText(restCount)} 个其他`)
  return parts.length === 0 ? '0 个账号' : `${parts.join('、')} 账号`
}
