import * as v from 'valibot'
import type { ManagementCall, UpstreamClient } from '../proxy/upstream-client.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { wireNumber } from '../wire/wire-fields.ts'

/** How long the proxy keeps unread records unless it says otherwise. See docs/upstream.md#usage-queue. */
export const QUEUE_RETENTION_SECONDS = 60

const configSchema = v.object({ 'redis-usage-queue-retention-seconds': wireNumber })

/** Reads how long the proxy keeps unread records. The rest of its configuration, which holds keys, is dropped here. Throws UpstreamError. */
export async function fetchQueueRetention(
  client: UpstreamClient,
  call: ManagementCall,
): Promise<number> {
  const { body } = await client.get('config', call)
  const parsed = v.safeParse(configSchema, body)
  if (!parsed.success) throw new UpstreamError('bad_payload', 'config: expected an object')
  const seconds = parsed.output['redis-usage-queue-retention-seconds']
  return seconds !== null && seconds >= 1 && seconds <= 3600 ? seconds : QUEUE_RETENTION_SECONDS
}
