import type { ManagementGate } from '../proxy/management-access.ts'
import type { ManagementCall, UpstreamClient } from '../proxy/upstream-client.ts'

/** The management API with its gate. */
export interface Management {
  readonly client: UpstreamClient
  readonly gate: ManagementGate
  /** Longest time of a call. */
  readonly timeoutSeconds: number
}

/** Sends one call when the gate allows it. */
export function callManagement<Value>(
  { gate, timeoutSeconds }: Management,
  limits: Pick<ManagementCall, 'stop' | 'bytesMax'>,
  send: (call: ManagementCall) => Promise<Value>,
): Promise<Value> {
  return gate.call((key) => send({ ...limits, key, seconds: timeoutSeconds }))
}
