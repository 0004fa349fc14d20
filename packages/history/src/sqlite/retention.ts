import { DAY_MS, epochMs } from '@svc/core'
import type { Database } from '@svc/sqlite'
import { cutOf, type RetentionPlan, type RetentionStep } from '../contract/retention-plan.ts'
import { pruneCourse } from '../sql/retention.ts'
import { always } from '../sql/steps.ts'
import type { Meta } from './meta.ts'
import type { Transaction } from './quota-store.ts'
import { pruneRollups } from './rollups.ts'
import { runSteps } from './run-steps.ts'

/** Pages returned to the file system at a time. */
const PAGES_PER_STEP = 500

/** Deletes some rows that have expired at this time, in one short step; false if none are left. Throws SQLite's errors. */
export function retentionStep(
  db: Database,
  {
    meta,
    transaction,
  }: {
    readonly meta: Meta
    readonly transaction: Transaction
  },
  plan: RetentionPlan,
  { asOf, rowsMax }: RetentionStep,
): boolean {
  const cut = cutOf(plan, asOf)
  const forget = () => {
    meta.set({
      forgotten_as_of_ms: asOf,
      // The cut only moves forward: a deleted row is not stored again.
      ...(cut > (meta.read().instant('cut_ms') ?? 0) ? { cut_ms: cut } : {}),
    })
    // Uses the plan's cut, not the stored one, so that no younger row is ever deleted.
    const rows = db
      .prepare(
        'DELETE FROM usage WHERE (at_ms, key) IN (SELECT at_ms, key FROM usage WHERE at_ms < ? ORDER BY at_ms LIMIT ?)',
      )
      .run(cut, rowsMax)
    if (rows.changes > 0) return true
    if (pruneRollups(db, asOf, rowsMax)) return true
    const historyCut = epochMs(asOf - plan.historyDays * DAY_MS)
    return runSteps(db, pruneCourse(historyCut, rowsMax, always))
  }
  if (withoutWaiting(db, () => transaction(forget))) return true
  if (Number(db.pragma('freelist_count', { simple: true })) <= PAGES_PER_STEP) return false
  db.pragma(`incremental_vacuum(${PAGES_PER_STEP})`)
  return true
}

/** Commits without waiting for the disk: rows that return after a power failure are deleted again. The log keeps the order of commits. */
function withoutWaiting<Result>(db: Database, work: () => Result): Result {
  db.pragma('synchronous = NORMAL')
  try {
    return work()
  } finally {
    db.pragma('synchronous = FULL')
  }
}
