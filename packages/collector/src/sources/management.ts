import type { ManagementGate } from '../proxy/management-access.ts'
import type { ManagementCall, UpstreamClient } from '../proxy/upstream-client.ts'

/** The management API, and the gate before it. */
export interface Management {
  readonly client: UpstreamClient
  readonly gate: ManagementGate
  /** Longest time of a call. */
  readonly timeoutSeconds: number
}

/** Sends one call when the gate lets it pass. */
export function callManagement<Value>(
  { gate, timeoutSeconds }: Management,
  limits: Pick<ManagementCall, 'stop' | 'bytesMax'>,
  send: (call: ManagementCall) => Promise<Value>,
): Promise<Value> {
  return gate.call((key) => send({ ...limits, key, seconds: timeoutSeconds }))
}

const LIVELY_BACKOFF_SECONDS_MIN = 30

/** Longest wait of the gateway and of the account list after a failure. Down for long, these two still answer within two periods once they can: everything else waits for them. */
export function livelyBackoffSecondsMax(periodSeconds: number): number {
  return Math.max(2 * periodSeconds, LIVELY_BACKOFF_SECONDS_MIN)
}
