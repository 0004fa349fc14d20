import { epochMs } from '@svc/core'
import { lt } from 'drizzle-orm'
import { cutOf, type RetentionPlan, type RetentionStep } from '../contract/retention-plan.ts'
import type { Meta } from './meta.ts'
import { ormOf } from './orm.ts'
import type { QuotaTables } from './quota-store.ts'
import { pruneRollups } from './rollups.ts'
import type { Database } from './sqlite.ts'
import { gaps } from './tables.ts'

/** Pages given back to the file system at a time. */
const PAGES_PER_STEP = 500
const DAY_MS = 86_400_000

/** One short step of forgetting what is too old as of this time; false when there is nothing left to do. Throws what SQLite throws. */
export function retentionStep(
  db: Database,
  {
    meta,
    quota,
    transaction,
  }: {
    readonly meta: Meta
    readonly quota: Pick<QuotaTables, 'prune'>
    readonly transaction: <Result>(work: () => Result) => Result
  },
  plan: RetentionPlan,
  { asOf, rowsMax }: RetentionStep,
): boolean {
  const cut = cutOf(plan, asOf)
  const forget = () => {
    if (meta.instant('forgotten_as_of_ms') !== asOf) meta.set('forgotten_as_of_ms', asOf)
    // It only ever moves on: a row that is gone is not stored again.
    if (cut > (meta.instant('cut_ms') ?? 0)) meta.set('cut_ms', cut)
    // By the plan alone: whatever the store says of its cut, nothing younger is ever deleted.
    const rows = db
      .prepare(
        'DELETE FROM usage WHERE (at_ms, key) IN (SELECT at_ms, key FROM usage WHERE at_ms < ? ORDER BY at_ms LIMIT ?)',
      )
      .run(cut, rowsMax)
    if (rows.changes > 0) return true
    if (pruneRollups(db, asOf, rowsMax)) return true
    const historyCut = epochMs(asOf - plan.historyDays * DAY_MS)
    ormOf(db).delete(gaps).where(lt(gaps.toMs, historyCut)).run()
    return quota.prune(historyCut, rowsMax)
  }
  if (withoutWaiting(db, () => transaction(forget))) return true
  if (Number(db.pragma('freelist_count', { simple: true })) <= PAGES_PER_STEP) return false
  db.pragma(`incremental_vacuum(${PAGES_PER_STEP})`)
  return true
}

/** What is forgotten need not be on the disk before the next step: after a power failure it is forgotten again. The log keeps the order of commits. */
function withoutWaiting<Result>(db: Database, work: () => Result): Result {
  db.pragma('synchronous = NORMAL')
  try {
    return work()
  } finally {
    db.pragma('synchronous = FULL')
  }
}
