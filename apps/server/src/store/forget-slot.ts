import type { EpochMs } from '@svc/core'
import type { HistoryStore, RetentionPlan } from '@svc/history'
import type { ForgettingReport } from './store-threads.ts'

/** Longest slot of forgetting old rows, so that usage never waits long. */
const FORGETTING_MS = 50
/** Bounds of the rows per transaction: fewer if one takes long, more if it takes no time. */
const FORGOTTEN_ROWS_MIN = 100
const FORGOTTEN_ROWS_MAX = 16_000
const LONG_STEP_MS = 20

/** Forgets in slots of `FORGETTING_MS`; the size of a transaction follows how long the last ones took. */
export function createForgetSlot(
  nowMs: () => number,
): (
  store: Pick<HistoryStore, 'retain' | 'backlogMs'>,
  plan: RetentionPlan,
  asOf: EpochMs,
) => Promise<ForgettingReport> {
  let rowsMax = FORGOTTEN_ROWS_MIN
  return async (store, plan, asOf) => {
    const endMs = nowMs() + FORGETTING_MS - LONG_STEP_MS
    let more = true
    for (let startedMs = nowMs(); more && startedMs < endMs; ) {
      more = await store.retain(plan, { asOf, rowsMax })
      const endedMs = nowMs()
      const wanted = endedMs - startedMs > LONG_STEP_MS ? rowsMax / 2 : rowsMax * 2
      rowsMax = Math.min(FORGOTTEN_ROWS_MAX, Math.max(FORGOTTEN_ROWS_MIN, wanted))
      startedMs = endedMs
    }
    // The last steps were quick only because little was left.
    if (!more) rowsMax = FORGOTTEN_ROWS_MIN
    return { more, backlogMs: await store.backlogMs(plan, asOf) }
  }
}
