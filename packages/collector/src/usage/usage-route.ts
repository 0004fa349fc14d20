import type { ManagementCall, UpstreamClient } from '../proxy/upstream-client.ts'
import { upstreamErrorOf } from '../proxy/upstream-error.ts'

/** How the proxy hands out usage. `legacy` also where there is neither: asking for the tree tells. */
export type UsageRoute = 'queue' | 'legacy'

/** Tells by what exists which way there is, without taking anything out. Throws UpstreamError. See docs/upstream.md#usage-by-version. */
export async function detectUsageRoute(
  client: UpstreamClient,
  call: ManagementCall,
): Promise<UsageRoute> {
  try {
    await client.get('usage-queue?count=0', call)
    return 'queue'
  } catch (error) {
    const failure = upstreamErrorOf(error)
    if (failure.httpStatus === 400) return 'queue'
    if (failure.httpStatus === 404) return 'legacy'
    throw failure
  }
}
