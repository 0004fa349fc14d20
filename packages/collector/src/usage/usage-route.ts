import type { ManagementCall, UpstreamClient } from '../proxy/upstream-client.ts'
import { upstreamErrorOf } from '../proxy/upstream-error.ts'

/** Routes of usage. Also `legacy` if the proxy has neither route: the request for the tree then fails visibly. */
export type UsageRoute = 'queue' | 'legacy'

/** Detects the route by probing the queue, without taking records out. Throws UpstreamError. See docs/upstream.md#usage-by-version. */
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
