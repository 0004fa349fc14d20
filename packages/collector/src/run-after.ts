import type { RefreshRun } from '@svc/core/service'

/** A run that begins when `ready` resolves; if cancelled before, it never begins. `ready` must not reject. */
export function runAfter(ready: Promise<unknown>, begin: () => RefreshRun): RefreshRun {
  let run: RefreshRun | null = null
  let isCancelled = false
  return {
    tally: () => run?.tally() ?? { queued: 0, done: 0, failed: 0 },
    expectedMs: () => run?.expectedMs() ?? null,
    ended: ready.then(() => {
      if (isCancelled) return 'cancelled'
      run = begin()
      return run.ended
    }),
    cancel() {
      isCancelled = true
      run?.cancel()
    },
  }
}
