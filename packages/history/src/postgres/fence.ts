import type { LeaseName } from '@svc/core/service'
import { databaseError } from './postgres-error.ts'
import type { Session } from './session.ts'

/** Keeps a monitor that has lost a lease, and does not know it yet, from deciding anything. */
export interface Fence {
  /** Rejects with HistoryError, not_holder, unless all of these are still held. The last question of a transaction, which is then undone. */
  demand(...leases: readonly LeaseName[]): Promise<void>
  /** A condition that holds while the lease is held, and its values; the first of them is `$from`. */
  condition(lease: LeaseName, from: number): Condition
}

/** Part of a WHERE clause. */
export interface Condition {
  readonly sql: string
  readonly values: readonly unknown[]
}

/** No term is as low, so nothing is held under it. */
const NO_TERM = 0

/** `terms` null: the store is not shared, and everything may be decided. */
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
    condition: (lease, from) =>
      terms === null
        ? { sql: 'true', values: [] }
        : {
            sql: `EXISTS (SELECT FROM svc_quota_monitor.leases WHERE name = $${from} AND term = $${from + 1})`,
            values: [lease, termOf(lease)],
          },
  }
}
