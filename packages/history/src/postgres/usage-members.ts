import type { UsageGroup } from '@svc/core/usage'
import type { MembersById } from '../usage/stored-usage.ts'
import { everything, membersOf } from '../usage/usage-members.ts'
import type { Session } from './session.ts'

/** What the members of a group are called: number, what it stands for, label. */
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

/** Names the members of a group; a label names all API names of its client. */
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
