import * as v from 'valibot'
import type { ManagementCall, UpstreamClient } from '../proxy/upstream-client.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import type { MissingRequestsWatch } from '../usage/missing-requests.ts'
import { wireFlag } from '../wire/wire-fields.ts'
import { createSourcePoll, keyedSourceOf, type Source, type SourceListeners } from './source.ts'
import { callManagement, type Management } from './source-options.ts'

const switchSchema = v.object({ 'usage-statistics-enabled': wireFlag })

/** Reads whether the proxy keeps usage statistics. Throws UpstreamError. */
export async function fetchUsageStatistics(
  client: UpstreamClient,
  call: ManagementCall,
): Promise<{ readonly enabled: boolean }> {
  const { body } = await client.get('usage-statistics-enabled', call)
  const parsed = v.safeParse(switchSchema, body)
  const enabled = parsed.success ? parsed.output['usage-statistics-enabled'] : null
  if (enabled === null)
    throw new UpstreamError('bad_payload', 'usage-statistics-enabled: expected a boolean')
  return { enabled }
}

const BYTES_MAX = 64 * 1024
const PERIOD_SECONDS = 600
const BACKOFF_SECONDS_MAX = 300

/** Creates the source that shows whether the proxy keeps usage statistics. */
export function createUsageStatisticsSource(
  {
    management,
    missing,
  }: {
    readonly management: Management
    readonly missing: Pick<MissingRequestsWatch, 'useRecording'>
  },
  deps: SourceListeners,
): Source<{ readonly enabled: boolean }> {
  const poll = createSourcePoll<{ readonly enabled: boolean }>(
    {
      id: 'usage_statistics',
      endpoint: 'usage-statistics-enabled',
      periodSeconds: PERIOD_SECONDS,
      backoffSecondsMax: BACKOFF_SECONDS_MAX,
      poll: (stop) =>
        callManagement(management, { stop, bytesMax: BYTES_MAX }, (call) =>
          fetchUsageStatistics(management.client, call),
        ),
      heldForMs: management.gate.heldForMs,
      onSettled(settled) {
        if (settled.kind === 'ok')
          missing.useRecording(poll.reading().lastGood?.value.enabled !== false)
      },
    },
    deps,
  )
  return keyedSourceOf('usage_statistics', poll)
}
