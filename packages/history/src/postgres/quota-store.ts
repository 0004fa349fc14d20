import type { PoolMemoryUpdate, PoolRecord, QuotaStore } from '@svc/core/pool'
import { type LeaseName, leaseOf, POOL_LEASE, upstreamOfFile } from '@svc/core/service'
import {
  keepAsked,
  type QuotaReads,
  quotaReads,
  recordPool,
  rememberTold,
} from '../sql/quota-store.ts'
import { mapSteps } from '../sql/steps.ts'
import type { Dictionaries } from './dictionary.ts'
import type { Fence } from './fence.ts'
import { runSteps } from './run-steps.ts'
import type { Session } from './session.ts'

/** The course of the pool in a database. Every method rejects with HistoryError. */
export function createPostgresQuotaStore(
  session: Session,
  { accounts }: Pick<Dictionaries, 'accounts'>,
  fence: Pick<Fence, 'demand'>,
): QuotaStore {
  return {
    ...mapSteps<QuotaReads>(quotaReads, (steps) =>
      session.transaction('read', () => runSteps(session, steps)),
    ),
    async record(record, memory) {
      // Outside of the transaction, so that other writers see new accounts at once.
      const ids = await accounts.idsOf(record.readings.map(({ accountKey }) => accountKey))
      await session.transaction('write', async () => {
        await runSteps(session, recordPool(record, memory, ids))
        await fence.demand(...leasesFor(record, memory))
      })
    },
    keepAsked: (accounts, at) =>
      session.transaction('write', async () => {
        await runSteps(session, keepAsked(accounts, at))
        // Another monitor may ask by now: then this query must not go out.
        await fence.demand(...accounts.map(({ upstream }) => leaseOf(upstream)))
      }),
    rememberTold: (target, memory) =>
      session.transaction('write', async () => {
        await runSteps(session, rememberTold(target, memory))
        await fence.demand(POOL_LEASE)
      }),
  }
}

/** Leases for a record: the pool's for its course, and a proxy's for the state of its accounts. */
function leasesFor(
  { points, readings, changes }: PoolRecord,
  memory: PoolMemoryUpdate | undefined,
): readonly LeaseName[] {
  const hasCourse = points.length + readings.length + changes.length > 0
  const files = memory?.texts.map(([fileKey]) => leaseOf(upstreamOfFile(fileKey))) ?? []
  return hasCourse ? [POOL_LEASE, ...files] : files
}
