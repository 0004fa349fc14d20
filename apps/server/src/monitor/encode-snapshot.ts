import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { Snapshot } from '@svc/core'
import { healthView, recommendationsView, statusView, type ViewContext } from '@svc/views'
import type { EncodedPayload, Payloads } from './payloads.ts'

const gzipAsync = promisify(gzip)

/** Every payload of a snapshot as bytes: stringified once, compressed off the main thread, with their validators. */
export async function encodeSnapshot(snapshot: Snapshot, context: ViewContext): Promise<Payloads> {
  const [status, recommendations, health] = await Promise.all([
    encodeJson(statusView(snapshot, context)),
    encodeJson(recommendationsView(snapshot, context)),
    encodeJson(healthView(snapshot, context)),
  ])
  return { status, recommendations, health }
}

/** One JSON document as bytes, plain and compressed. */
export async function encodeJson(document: unknown): Promise<EncodedPayload> {
  const json = Buffer.from(JSON.stringify(document))
  // Loopback and LAN readers gain little from a better ratio; the CPU is shared with the proxy.
  const compressed = await gzipAsync(json, { level: constants.Z_BEST_SPEED })
  const digest = createHash('sha256').update(json).digest('base64url').slice(0, 22)
  return { json, gzip: compressed as Uint8Array<ArrayBuffer>, jsonEtag: `"${digest}"`, gzipEtag: `"${digest}-gzip"` }
}
