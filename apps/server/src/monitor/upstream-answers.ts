import type { Snapshot } from '@svc/core'
import { poolAtUpstream, type UpstreamName } from '@svc/core/service'
import { recommendationsView, type ViewContext } from '@svc/views'
import { compressedTo, encodeJson } from '../answers/encode-json.ts'
import type { Compression, ReadyAnswer } from '../answers/ready-answer.ts'

/** The ranking of one of several proxies, or the names of those that are watched where it is none of them. */
export type UpstreamAnswer =
  | { readonly answer: ReadyAnswer }
  | { readonly names: readonly string[] }

/** Rankings of single proxies, each made once for a snapshot, when somebody asks for it. */
export interface UpstreamAnswers {
  answer(
    upstream: UpstreamName,
    compression: Compression,
    of: { readonly snapshot: Snapshot; readonly context: ViewContext },
  ): UpstreamAnswer
}

export function createUpstreamAnswers(): UpstreamAnswers {
  let of: Snapshot | null = null
  const made = new Map<UpstreamName, ReadyAnswer>()
  return {
    answer(upstream, compression, { snapshot, context }) {
      if (of !== snapshot) made.clear()
      of = snapshot
      const known = made.get(upstream)
      const pool = known === undefined ? partOf(snapshot, upstream) : null
      if (known === undefined && pool === null) return { names: namesIn(snapshot) }
      const answer = compressedTo(
        known ?? encodeJson(recommendationsView(pool ?? snapshot, context), 'none'),
        compression,
      )
      made.set(upstream, answer)
      return { answer }
    },
  }
}

/** Of one proxy that is watched alone the part is the whole. */
function partOf(snapshot: Snapshot, upstream: UpstreamName): Snapshot | null {
  if (snapshot.upstreams !== undefined) return poolAtUpstream(snapshot, upstream)
  return namesIn(snapshot).includes(upstream) ? snapshot : null
}

function namesIn({ upstreams, accounts }: Snapshot): readonly string[] {
  if (upstreams !== undefined) return upstreams.map(({ name }) => name)
  return [...new Set(accounts.map(({ account }) => account.upstream))]
}
