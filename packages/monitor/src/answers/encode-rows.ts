import type { RequestsQuery, UsageRangeId, UsageReader } from '@svc/core/usage'
import { type UsageRowFilter, type UsageRowFormat, usageRowLines } from '@svc/views'

/** Download of single requests. */
export interface RowsRequest {
  readonly range: UsageRangeId
  readonly format: UsageRowFormat
  readonly filter: UsageRowFilter
}

/** Rest of a download: the requests since `from` that come before the cursor `before`. */
export type RowsLeft = Omit<RequestsQuery, 'limit'>

/** Some lines of a download; it has no line where none of the requests read was wanted. */
export interface RowsPart {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Null after the last part. */
  readonly left: RowsLeft | null
}

/** Few enough that a chart waits some milliseconds for a part. */
const REQUESTS_PER_PART = 500

export async function encodeRows(
  reader: Pick<UsageReader, 'requests'>,
  { format, filter }: RowsRequest,
  { from, before }: RowsLeft,
): Promise<RowsPart> {
  const { requests, next } = await reader.requests({ from, before, limit: REQUESTS_PER_PART })
  return {
    bytes: new TextEncoder().encode(usageRowLines(requests, format, filter)),
    left: next === null ? null : { from, before: next },
  }
}
