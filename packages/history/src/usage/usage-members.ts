import { providerMember, totalMember, type UsageGroup } from '@svc/core/usage'
import { clientsByApiName } from './client-names.ts'
import type { MembersById } from './stored-usage.ts'
import { TOTAL_MEMBER } from './tiers.ts'

/** A row of a dictionary: number, key and label. */
export type NamedRow = readonly [id: number, key: string, label: string]

/** The one member of the total. */
export const everything: MembersById = new Map([[TOTAL_MEMBER, totalMember]])

/** Names of a group's members; a client label covers all its API names, and `fingerprintKey` hides the others. */
export function membersOf(
  group: Exclude<UsageGroup, 'total'>,
  rows: readonly NamedRow[],
  clients: { readonly labels: ReadonlyMap<string, string>; readonly fingerprintKey: string },
): MembersById {
  if (group === 'provider') return new Map(rows.map(([id, name]) => [id, providerMember(name)]))
  const named =
    group === 'client'
      ? clientsByApiName(
          rows.map(([, name]) => name),
          clients.labels,
          clients.fingerprintKey,
        )
      : null
  return new Map(rows.map(([id, key, label]) => [id, named?.get(key) ?? { id: key, label }]))
}
