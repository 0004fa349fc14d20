import type { Snapshot } from '@svc/core'
import { snapshotAtUpstream } from '@svc/core/health'
import { noTrends } from '@svc/core/pool'
import type { UpstreamName } from '@svc/core/service'
import type { StatusContext } from '@svc/views'
import type { Compression, Payloads, ReadyAnswer } from '../answers/ready-answer.ts'
import { encodeSnapshot } from './encode-snapshot.ts'

/** Request for a payload about one of several proxies. */
export interface UpstreamReading {
  readonly upstream: UpstreamName
  readonly payload: 'recommendations' | 'status' | 'health'
  readonly compression: Compression
}

/** The answer about one of several proxies, or the names of the watched proxies if it is unknown. */
export type UpstreamAnswer =
  | { readonly answer: ReadyAnswer }
  | { readonly names: readonly string[] }

/** Publication of the whole pool. */
interface Whole {
  readonly snapshot: Snapshot
  readonly context: StatusContext
}

/** Answers about single proxies, each made on demand, once per snapshot and context. */
export interface UpstreamAnswers {
  answer(reading: UpstreamReading, of: Whole): UpstreamAnswer
}

export function createUpstreamAnswers(): UpstreamAnswers {
  let last: Whole | null = null
  const parts = new Map<UpstreamName, { readonly part: Whole; readonly made: Partial<Payloads> }>()
  return {
    answer({ upstream, payload, compression }, of) {
      if (last?.snapshot !== of.snapshot || last.context !== of.context) parts.clear()
      last = of
      const known = parts.get(upstream)
      const part = known?.part ?? partOf(of, upstream)
      if (part === null) return { names: namesIn(of.snapshot) }
      const wanted = { [payload]: compression }
      const made = encodeSnapshot(part.snapshot, part.context, wanted, known?.made)
      parts.set(upstream, { part, made })
      const answer = made[payload]
      if (answer === undefined) throw new Error(`${payload} was not made`)
      return { answer }
    },
  }
}

/** The part of the pool behind one proxy; the whole pool if only this one is watched. The forecast covers all proxies together. */
function partOf({ snapshot, context }: Whole, upstream: UpstreamName): Whole | null {
  if (snapshot.upstreams === undefined)
    return namesIn(snapshot).includes(upstream) ? { snapshot, context } : null
  const part = snapshotAtUpstream(snapshot, upstream)
  return part === null ? null : { snapshot: part, context: { ...context, trends: noTrends } }
}

function namesIn({ upstreams, accounts }: Snapshot): readonly string[] {
  if (upstreams !== undefined) return upstreams.map(({ name }) => name)
  return [...new Set(accounts.map(({ account }) => account.upstream))]
}
