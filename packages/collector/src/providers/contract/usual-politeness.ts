import type { ProviderId } from '@svc/core'
import { providerRowOf } from '@svc/core/service'
import type { QueryBudget, QueryPoliteness } from './provider.ts'

/** Limits of queries of a vendor of which no stricter ones are known. `changes`: members of its budget that differ. */
export function usualPoliteness(
  id: ProviderId,
  changes: Partial<QueryBudget> = {},
): QueryPoliteness & { readonly budget: QueryBudget } {
  return {
    // The proxy itself gives up after 60 s and reports it.
    seconds: 65,
    answerBytesMax: 256 * 1024,
    budget: {
      perAccountSeconds: providerRowOf(id).queriesApartSeconds,
      apartSeconds: 0,
      pause: { firstSeconds: 600, longestSeconds: 7200 },
      blockedPauses: false,
      revokedStops: false,
      ...changes,
    },
  }
}
