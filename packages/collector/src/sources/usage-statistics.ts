import * as v from 'valibot'
import type { ManagementCall, UpstreamClient } from '../proxy/upstream-client.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { wireFlag } from '../wire/wire-fields.ts'

const switchSchema = v.object({ 'usage-statistics-enabled': wireFlag })

/** Reads whether the proxy keeps usage statistics. Throws UpstreamError. */
export async function fetchUsageStatistics(client: UpstreamClient, call: ManagementCall): Promise<{ readonly enabled: boolean }> {
  const { body } = await client.get('usage-statistics-enabled', call)
  const parsed = v.safeParse(switchSchema, body)
  const enabled = parsed.success ? parsed.output['usage-statistics-enabled'] : null
  if (enabled === null) throw new UpstreamError('bad_payload', 'usage-statistics-enabled: expected a boolean')
  return { enabled }
}
