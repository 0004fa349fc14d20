import * as v from 'valibot'
import type { ManagementCall, UpstreamClient } from '../proxy/upstream-client.ts'
import { UpstreamError, upstreamErrorOf } from '../proxy/upstream-error.ts'
import type { MissingRequestsWatch } from '../usage/missing-requests.ts'
import { isRecord, wireFlag } from '../wire/wire-fields.ts'
import { createSourcePoll, keyedSourceOf, type Source, type SourceListeners } from './source.ts'
import { callManagement, type Management } from './source-options.ts'

const SWITCH = 'usage-statistics-enabled'
const switchSchema = v.object({ [SWITCH]: wireFlag })

/** Reads whether the proxy keeps usage statistics. Throws UpstreamError. */
export async function fetchUsageStatistics(
  client: UpstreamClient,
  call: ManagementCall,
): Promise<{ readonly enabled: boolean }> {
  const answer = await client.get('usageStatistics', call).catch((error: unknown) => {
    const { httpStatus, isFromProxy, hasReason } = upstreamErrorOf(error)
    // A v8 proxy says `not_found` for a section that its configuration lacks.
    if (httpStatus === 404 && isFromProxy && hasReason) return null
    throw error
  })
  if (answer === null) return { enabled: false }
  const parsed = v.safeParse(switchSchema, answer.body)
  const enabled = parsed.success ? parsed.output[SWITCH] : null
  if (enabled !== null) return { enabled }
  // In a section of v8 the switch may be missing alone.
  const isAbsent = isRecord(answer.body) && !(SWITCH in answer.body)
  if (isAbsent && client.facts().generation === 'v8') return { enabled: false }
  throw new UpstreamError('bad_payload', `${SWITCH}: expected a boolean`)
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
      endpoint: SWITCH,
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
