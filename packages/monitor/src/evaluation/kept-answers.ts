import type { Clock } from '@svc/core/service'
import { ReaderBusy } from '../store/store-reader.ts'

/** Largest age of a kept answer relative to the newest possible one, unless told otherwise. */
const KEPT_MS = 5_000
const KEPT_MAX = 64

/** An answer from the store: read, or made without it if it cannot be read. */
interface StoredAnswer<Answer> {
  read(): Promise<Answer>
  unreadable(): Answer
}

/**
 * Creates the function that answers on demand, once for all equal keys at one time. It rejects with ReaderBusy. Neither that nor the answer of an
 * unreadable store is kept: the next request reads again.
 */
export function createKeptAnswers<Answer>(clock: Clock, keptMs = KEPT_MS) {
  const kept = new Map<string, { readonly sinceMs: number; readonly answer: Promise<Answer> }>()
  return (key: string, { read, unreadable }: StoredAnswer<Answer>): Promise<Answer> => {
    const nowMs = clock.monotonicMs()
    for (const [known, { sinceMs }] of kept) if (nowMs - sinceMs > keptMs) kept.delete(known)
    const known = kept.get(key)
    if (known !== undefined) return known.answer
    const [oldest] = kept.keys()
    if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest)
    const answer = read().catch((error: unknown) => {
      kept.delete(key)
      if (error instanceof ReaderBusy) throw error
      return unreadable()
    })
    kept.set(key, { sinceMs: nowMs, answer })
    return answer
  }
}
