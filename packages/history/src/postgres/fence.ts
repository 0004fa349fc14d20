import type { LeaseName } from '@svc/core/service'
import { sql } from 'drizzle-orm'
import { always, type Held } from '../sql/steps.ts'
import { databaseError } from './postgres-error.ts'
import type { Session } from './session.ts'

/** Keeps a monitor that has unknowingly lost a lease from deciding anything. */
export interface Fence {
  /** Rejects with HistoryError, not_holder, unless all of these are still held. Call last in a transaction, which is then rolled back. */
  demand(...leases: readonly LeaseName[]): Promise<void>
  readonly condition: Held
}

/** Below every term, so nothing is held under it. */
const NO_TERM = 0

/** Creates a fence; `terms` null: the store is not shared, and every decision is allowed. */
export function createFence(
  session: Pick<Session, 'rows'>,
  terms: ReadonlyMap<LeaseName, number> | null,
): Fence {
  const termOf = (lease: LeaseName) => terms?.get(lease) ?? NO_TERM
  return {
    async demand(...leases) {
      if (terms === null || leases.length === 0) return
      const names = [...new Set(leases)]
      const held = await session.rows(
        `SELECT l.name FROM svc_quota_monitor.leases AS l
         JOIN unnest($1::text[], $2::bigint[]) AS asked (name, term) ON l.name = asked.name AND l.term = asked.term`,
        [names, names.map(termOf)],
      )
      if (held.length < names.length) throw databaseError('not_holder')
    },
    condition:
      terms === null
        ? always
        : (lease) =>
            sql`EXISTS (SELECT FROM svc_quota_monitor.leases WHERE name = ${lease} AND term = ${termOf(lease)})`,
  }
}
