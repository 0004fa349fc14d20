import type { Words } from '../conditions/words.ts'

/** The other end of a source, and the configuration key of its address. */
export interface Peer {
  readonly name: string
  readonly addressKey: string
  /** True for a local file, which gives no answers. */
  readonly isFile: boolean
  readonly reachable: string
  readonly calmer: string
}

/** One source, as one language names it. */
export interface SourceNames {
  /** In the middle of a sentence. */
  readonly title: string
  readonly peer: Pick<Peer, 'name' | 'reachable' | 'calmer'>
  /** Verb for a successful read; left out if the source simply answers. */
  readonly verb?: string
}

/** Words a failure of a source: badge, reason and remedy. */
export type SourceFailureWords = (
  peer: Peer & { readonly address?: string | undefined },
) => Words & { readonly badge: string }
