import type { UsageGroup } from '@svc/core/usage'
import type { MembersById } from '../usage/stored-usage.ts'
import { everything, membersOf } from '../usage/usage-members.ts'
import type { Session } from './session.ts'

/** Queries for the names of a group's members: number, key, label. */
const NAMES = {
  account:
    "SELECT id, key, CASE title WHEN '' THEN key ELSE title END AS label FROM svc_quota_monitor.accounts",
  model: allOf('models'),
  api: allOf('api_names'),
  client: allOf('api_names'),
  upstream: allOf('upstreams'),
  provider: allOf('providers'),
} as const satisfies Readonly<Record<Exclude<UsageGroup, 'total'>, string>>

function allOf(table: string): string {
  return `SELECT id, name AS key, name AS label FROM svc_quota_monitor.${table}`
}

/** Names of a group's members; a client label covers all its API names. */
export async function memberNames(
  { rows }: Session,
  group: UsageGroup,
  clients: { readonly labels: ReadonlyMap<string, string>; readonly fingerprintKey: string },
): Promise<MembersById> {
  if (group === 'total') return everything
  const found = await rows<{ id: number; key: string; label: string }>(NAMES[group])
  return membersOf(
    group,
    found.map(({ id, key, label }) => [id, key, label] as const),
    clients,
  )
}
