import type { UsageGroup } from '@svc/core/usage'
import { providerMember, totalMember } from '@svc/core/usage'
import { clientsByApiName } from '../usage/client-names.ts'
import type { MembersById } from '../usage/stored-usage.ts'
import { TOTAL_MEMBER } from '../usage/tiers.ts'
import type { Meta } from './meta.ts'
import type { Database } from './sqlite.ts'

/** Names the members of a group; a label names all API names of its client. */
export type NameMembers = (group: UsageGroup, labels: ReadonlyMap<string, string>) => MembersById

export function createMemberNames(db: Database, meta: Meta): NameMembers {
  const apiNames = db.prepare('SELECT id, name, name FROM api_names').raw()
  const names = {
    account: db
      .prepare("SELECT id, key, CASE title WHEN '' THEN key ELSE title END FROM accounts")
      .raw(),
    model: db.prepare('SELECT id, name, name FROM models').raw(),
    api: apiNames,
    client: apiNames,
    upstream: db.prepare('SELECT id, name, name FROM upstreams').raw(),
    provider: db.prepare('SELECT id, name, name FROM providers').raw(),
  }
  return (group, labels) => {
    if (group === 'total') return new Map([[TOTAL_MEMBER, totalMember]])
    const rows = names[group].all() as (readonly [number, string, string])[]
    const clients =
      group === 'client'
        ? clientsByApiName(
            rows.map(([, name]) => name),
            labels,
            meta.text('fingerprint_key') ?? '',
          )
        : null
    if (group === 'provider') return new Map(rows.map(([id, name]) => [id, providerMember(name)]))
    return new Map(rows.map(([id, key, label]) => [id, clients?.get(key) ?? { id: key, label }]))
  }
}
