import type { Snapshot } from '@svc/core'
import { noTrends } from '@svc/core/pool'
import { createWording, type StatusContext } from '@svc/views'
import { encodeJson } from '../answers/encode-json.ts'
import { type Payloads, payloadNames, type Wanted } from '../answers/ready-answer.ts'
import { encodeSnapshot } from '../evaluation/encode-snapshot.ts'

const EVERYTHING: Wanted = {
  status: 'both',
  recommendations: 'both',
  health: 'both',
  stats: 'both',
}

/** A context without usage and trends, while nothing is refreshed. */
export const contextIn = (language: 'en' | 'zh-CN' = 'en') =>
  ({
    text: createWording('UTC', language),
    usage: { kind: 'off' },
    trends: noTrends,
    refresh: { status: 'idle' },
  }) as const

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
