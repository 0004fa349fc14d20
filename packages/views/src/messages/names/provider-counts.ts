import type { ProviderId } from '@svc/core'
import { providerName } from './provider-name.ts'

/** Most providers that are named; the accounts of the rest are added up. */
const NAMED_MAX = 5

/** Number of accounts per provider name, in list order, and the number of accounts of unnamed providers. */
export function countsByProvider(providers: readonly ProviderId[]): {
  readonly named: readonly (readonly [label: string, count: number])[]
  readonly restCount: number
} {
  const counts = new Map<string, number>()
  for (const provider of providers) {
    const label = providerName(provider)
    counts.set(label, (counts.get(label) ?? 0) + 1)
  }
  const all = [...counts]
  const restCount = all.slice(NAMED_MAX).reduce((sum, [, count]) => sum + count, 0)
  return { named: all.slice(0, NAMED_MAX), restCount }
}
