import type { QuotaStore } from '@svc/core/pool'
import type { Database } from '@svc/sqlite'
import {
  keepAsked,
  type QuotaReads,
  quotaReads,
  recordPool,
  rememberTold,
} from '../sql/quota-store.ts'
import type { Dictionaries } from './dictionary.ts'
import type { AtOnce } from './promised.ts'
import { runningSteps, runSteps } from './run-steps.ts'

/** Runs `work` in one transaction: all is stored, or nothing. */
export type Transaction = <Result>(work: () => Result) => Result

/** The course of the pool in an open database. Every method throws SQLite's errors. */
export function createQuotaStore(
  db: Database,
  { accounts }: Pick<Dictionaries, 'accounts'>,
  transaction: Transaction,
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
    keepAsked: (accounts, at) => transaction(() => runSteps(db, keepAsked(accounts, at))),
    rememberTold: (target, memory) => transaction(() => runSteps(db, rememberTold(target, memory))),
  }
}
