import type { Words } from '../conditions/words.ts'

/** What answers at the other end of a source, and which key says where it is. */
export interface Peer {
  readonly name: string
  readonly addressKey: string
  /** It is a file of this machine, and gives no answers. */
  readonly isFile: boolean
  readonly reachable: string
  readonly calmer: string
}

/** One source, as one language names it. */
export interface SourceNames {
  /** In the middle of a sentence. */
  readonly title: string
  readonly peer: Pick<Peer, 'name' | 'reachable' | 'calmer'>
  /** What was done to it when all was well; left out where it answered. */
  readonly verb?: string
}

/** Why a source could not be read, and what helps. */
export type SourceFailureWords = (peer: Peer) => Words & { readonly badge: string }
