import { createHmac } from 'node:crypto'
import { providerMember, totalMember, type UsageGroup, type UsageMember } from '@svc/core/usage'
import type { MembersById } from './stored-usage.ts'
import { TOTAL_MEMBER } from './tiers.ts'

type NamedRow = readonly [id: number, key: string, label: string]

/** Members of the grouping `total`. */
export const everything: MembersById = new Map([[TOTAL_MEMBER, totalMember]])

/** Names of a group's members. A client label covers all its API names; `fingerprintKey` hides API names without a label. */
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

/** Digits of a fingerprint; more if two names would share it. */
const FINGERPRINT_DIGITS = 8
const FINGERPRINT_DIGITS_MAX = 64

/**
 * Clients by their API name: their label, which several may share, or else a fingerprint that cannot be guessed from a list of likely names. The same
 * names and key always give the same fingerprints.
 */
export function clientsByApiName(
  apiNames: Iterable<string>,
  labels: ReadonlyMap<string, string>,
  fingerprintKey: string,
): ReadonlyMap<string, UsageMember> {
  const clients = new Map<string, UsageMember>()
  let unlabelled: { readonly apiName: string; readonly digest: string }[] = []
  for (const apiName of apiNames) {
    const label = labels.get(apiName)
    if (label !== undefined) clients.set(apiName, { id: label, label })
    else
      unlabelled.push({
        apiName,
        digest: createHmac('sha256', Buffer.from(fingerprintKey, 'hex'))
          .update(apiName)
          .digest('hex'),
      })
  }
  for (let digits = FINGERPRINT_DIGITS; unlabelled.length > 0; digits *= 2) {
    const prefixOf = ({ digest }: { readonly digest: string }) => digest.slice(0, digits)
    const counts = new Map<string, number>()
    for (const one of unlabelled) counts.set(prefixOf(one), (counts.get(prefixOf(one)) ?? 0) + 1)
    const isUnique = (one: { readonly digest: string }) =>
      counts.get(prefixOf(one)) === 1 || digits >= FINGERPRINT_DIGITS_MAX
    for (const one of unlabelled.filter(isUnique)) {
      const id = `client-${prefixOf(one)}`
      clients.set(one.apiName, { id, label: id })
    }
    unlabelled = unlabelled.filter((one) => !isUnique(one))
  }
  return clients
}
