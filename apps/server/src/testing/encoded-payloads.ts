import type { Snapshot } from '@svc/core'
import type { StatusContext } from '@svc/views'
import type { Payloads, Wanted } from '../answers/ready-answer.ts'
import { encodeSnapshot } from '../monitor/encode-snapshot.ts'

const EVERYTHING: Wanted = { status: 'br', recommendations: 'br', health: 'br', stats: 'br' }

/** Every payload of a snapshot in every form. */
export function encodedPayloads(snapshot: Snapshot, context: StatusContext): Payloads {
  return encodeSnapshot(snapshot, context, EVERYTHING) as Payloads
}
