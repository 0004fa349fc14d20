import type { QuotaStore } from '@svc/core/pool'
import type { Database } from '@svc/sqlite'
import { type QuotaReads, quotaReads, recordPool } from '../sql/quota-store.ts'
import type { Dictionaries } from './dictionary.ts'
import type { AtOnce } from './promised.ts'
import { runningSteps, runSteps } from './run-steps.ts'

/** The course of the pool in an open database. Every method throws SQLite's errors. */
export function createQuotaStore(
  db: Database,
  { accounts, transaction }: Pick<Dictionaries, 'accounts' | 'transaction'>,
): AtOnce<QuotaStore> {
  return {
    ...runningSteps<QuotaReads>(db, quotaReads),
    record: (record, memory) =>
      transaction(() => {
        const ids = new Map(
          record.readings.map(({ accountKey }) => [accountKey, accounts.idOf(accountKey)]),
        )
        runSteps(db, recordPool(record, memory, ids))
      }),
  }
}
