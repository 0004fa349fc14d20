import type { Words } from '../conditions/words.ts'

/** The system a source reads from, and the configuration key of its address. */
export interface Peer {
  readonly name: string
  readonly addressKey: string
  /** True for a local file, which gives no answers. */
  readonly isFile: boolean
  readonly reachable: string
  readonly calmer: string
}

export interface SourceNames {
  readonly title: string
  readonly peer: Pick<Peer, 'name' | 'reachable' | 'calmer'>
  /** Verb for a successful read; left out if the source simply answers. */
  readonly verb?: string
}

/** Words for a failure of a source: badge, reason and remedy. */
export type SourceFailureWords = (
  peer: Peer & { readonly address?: string | undefined },
) => Words & { readonly badge: string }
