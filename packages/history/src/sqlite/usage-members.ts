import type { UsageGroup } from '@svc/core/usage'
import type { Database } from '@svc/sqlite'
import type { MembersById } from '../usage/stored-usage.ts'
import { everything, membersOf, type NamedRow } from '../usage/usage-members.ts'
import type { Meta } from './meta.ts'

/** Names of a group's members; a client label covers all its API names. */
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
    if (group === 'total') return everything
    const fingerprintKey = meta.text('fingerprint_key') ?? ''
    return membersOf(group, names[group].all() as NamedRow[], { labels, fingerprintKey })
  }
}
