import type { Steps } from '@svc/core'

/** How long requests may have to wait for a computation. Source: performance goals, stalls of the event loop. */
const TURN_MS_MAX = 2

let line: Promise<void> = Promise.resolve()

/** One computation a turn, however many are under way: together they would hold up requests as long as all of their shares. */
function turnInLine(): Promise<void> {
  line = line.then(() => new Promise((resolve) => setImmediate(resolve)))
  return line
}

/** Runs a computation to its end, letting everything else that waits have its turn every few milliseconds. */
export async function inTurns<Value>(steps: Steps<Value>): Promise<Value> {
  let turnEndsAtMs = performance.now() + TURN_MS_MAX
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() < turnEndsAtMs) continue
    await turnInLine()
    turnEndsAtMs = performance.now() + TURN_MS_MAX
  }
}
