import type { Clock } from '@svc/core/service'

/** Largest age of a kept answer relative to the newest possible one, unless told otherwise. */
const KEPT_MS = 5_000
const KEPT_MAX = 64

/** Answers computed on demand, once for all equal requests at one time. */
export interface KeptAnswers<Answer> {
  /** `compute` may discard its answer at any time by calling `forget`, so that the next request computes it again; a rejection is never kept. */
  answer(key: string, compute: (forget: () => void) => Promise<Answer>): Promise<Answer>
}

export function createKeptAnswers<Answer>(clock: Clock, keptMs = KEPT_MS): KeptAnswers<Answer> {
  const kept = new Map<string, { readonly sinceMs: number; readonly answer: Promise<Answer> }>()
  return {
    answer(key, compute) {
      const nowMs = clock.monotonicMs()
      for (const [known, { sinceMs }] of kept) if (nowMs - sinceMs > keptMs) kept.delete(known)
      const known = kept.get(key)
      if (known !== undefined) return known.answer
      const [oldest] = kept.keys()
      if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest)
      const forget = () => void kept.delete(key)
      const answer = compute(forget)
      kept.set(key, { sinceMs: nowMs, answer })
      answer.catch(forget)
      return answer
    },
  }
}
