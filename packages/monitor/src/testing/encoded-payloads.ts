import type { Snapshot } from '@svc/core'
import type { StatusContext } from '@svc/views'
import { encodeJson } from '../answers/encode-json.ts'
import { type Payloads, payloadNames, type Wanted } from '../answers/ready-answer.ts'
import { encodeSnapshot } from '../evaluation/encode-snapshot.ts'

const EVERYTHING: Wanted = {
  status: 'both',
  recommendations: 'both',
  health: 'both',
  stats: 'both',
}

/** Every payload of a snapshot in every form. */
export function encodedPayloads(snapshot: Snapshot, context: StatusContext): Payloads {
  return encodeSnapshot(snapshot, context, EVERYTHING) as Payloads
}

/** An empty document for each wanted payload, in its compression. */
export function emptyPayloads(wanted: Wanted): Partial<Payloads> {
  return Object.fromEntries(
    payloadNames.flatMap((name) => {
      const compression = wanted[name]
      return compression === undefined ? [] : [[name, encodeJson({}, compression)]]
    }),
  )
}
