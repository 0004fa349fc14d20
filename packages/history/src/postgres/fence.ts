import type { LeaseName } from '@svc/core/service'
import { sql } from 'drizzle-orm'
import { leases } from '../schema/postgres.ts'
import { always } from '../sql/connection.ts'
import type { Fence } from '../sql/engine.ts'
import { databaseError } from './postgres-error.ts'
import type { Session } from './session.ts'

/** Lower than every real term, so no lease is held under it. */
const NO_TERM = 0

/** Creates a fence. With `terms` null the store is not shared, and every decision is allowed. */
export function createFence(
  session: Pick<Session, 'rows'>,
  terms: ReadonlyMap<LeaseName, number> | null,
): Fence {
  const termOf = (lease: LeaseName) => terms?.get(lease) ?? NO_TERM
  return {
    async demand(...demanded) {
      if (terms === null || demanded.length === 0) return
      const names = [...new Set(demanded)]
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
            sql`EXISTS (SELECT FROM ${leases} WHERE ${leases.name} = ${lease} AND ${leases.term} = ${termOf(lease)})`,
  }
}
