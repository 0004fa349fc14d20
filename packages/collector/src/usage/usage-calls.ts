import type { SourceFailureCode } from '@svc/core/service'
import type { IngestedUsage } from '@svc/core/usage'
import { SourceError } from '../polling/source-error.ts'
import type { ManagementGate } from '../proxy/management-access.ts'
import type { ManagementCall, UpstreamClient } from '../proxy/upstream-client.ts'
import type { UsageRefusal, UsageSink } from './usage-sink.ts'

/** The way of usage from the proxy to the store. */
export interface UsageWay {
  readonly client: UpstreamClient
  readonly gate: Pick<ManagementGate, 'call'>
  readonly sink: UsageSink
  /** Called with each answer's usage once it is on the disk; `emptied`: the queue had no more. */
  readonly onUsage: (usage: IngestedUsage, emptied: boolean) => void
}

/** See docs/limits.md#calls-to-the-proxy. */
const USAGE_SECONDS = 30

/** Sends one call about usage when the gate allows it. */
export function callForUsage<Value>(
  { gate }: Pick<UsageWay, 'gate'>,
  limits: Pick<ManagementCall, 'stop' | 'bytesMax'>,
  send: (call: ManagementCall) => Promise<Value>,
): Promise<Value> {
  return gate.call((key) => send({ ...limits, key, seconds: USAGE_SECONDS }))
}

const REFUSALS = {
  store_unavailable: 'the history store cannot take usage now',
  clock_doubted: 'the clock of this machine cannot be trusted now',
} as const satisfies Readonly<Partial<Record<SourceFailureCode, string>>>

/** The error of a feed that stops because the sink refuses records. */
export function refusedBySink(code: UsageRefusal): SourceError {
  return code === 'standby'
    ? new SourceError('store_unavailable', 'another monitor takes usage now')
    : new SourceError(code, REFUSALS[code])
}

/** Runs a write of the sink. Throws SourceError; the store itself reports why it failed. */
export async function storeInSink<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch {
    throw refusedBySink('store_unavailable')
  }
}
