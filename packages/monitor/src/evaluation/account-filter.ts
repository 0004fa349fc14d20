import { type AccountFilter, type ProviderId, planKindOf, type Snapshot } from '@svc/core'
import { allAccountsOf, type ProviderPool, poolOfProviders } from '@svc/core/pool'
import { knownPlanKinds, providerIds } from '@svc/core/service'
import type { FilterValues, UnknownValue } from '../answers/ready-answer.ts'

/** Accounts that are asked for. */
export interface AskedAccounts {
  /** Each list sorted; `providers` is left out for the pool at home and for all of them. */
  readonly filter: AccountFilter
  /** The providers as they were asked for, the first one first; empty for the pool at home and for all of them. */
  readonly inOrder: readonly ProviderId[]
  readonly everyProvider: boolean
}

/** Value of `provider` for the accounts of all of them. */
const EVERY_PROVIDER = 'all'

/** The accounts that these values mean in this pool; or the first unknown value. A plan or provider without any account is known. */
export function filterIn(snapshot: Snapshot, values: FilterValues): AskedAccounts | UnknownValue {
  const { upstreams } = snapshot
  const accounts = allAccountsOf(snapshot)
  const known = {
    plan: () => [...knownPlanKinds, ...accounts.map(({ plan }) => plan)],
    provider: () => [
      ...providerIds,
      ...accounts.map(({ account }) => account.provider),
      EVERY_PROVIDER,
    ],
    upstream: () =>
      upstreams?.map(({ name }) => name) ?? accounts.map(({ account }) => account.upstream),
  }
  const filter: { -readonly [Name in keyof AccountFilter]: AccountFilter[Name] } = {}
  for (const parameter of ['plan', 'provider', 'upstream'] as const) {
    const allowed = [...new Set(known[parameter]())]
    const asked = values[parameter]?.map((name) =>
      parameter === 'plan' ? planIn(name, allowed) : name,
    )
    if (asked === undefined) continue
    if (!asked.every((value) => allowed.includes(value))) return { unknown: { parameter, allowed } }
    if (asked.includes(EVERY_PROVIDER)) continue
    filter[`${parameter}s`] = [...new Set(asked)].sort()
  }
  const everyProvider = values.provider?.includes(EVERY_PROVIDER) === true
  return { filter, everyProvider, inOrder: everyProvider ? [] : (values.provider ?? []) }
}

/** The pool of the providers that are asked for, before plans and proxies. */
export function poolOfAsked(
  snapshot: Snapshot,
  { filter: { providers }, everyProvider }: AskedAccounts,
): Snapshot {
  if (everyProvider) return poolOfProviders(snapshot, 'all')
  return providers === undefined ? snapshot : poolOfProviders(snapshot, providers)
}

/** The pool of each provider that is asked for, in the order in which they were, else in display order. */
export function poolsOfAsked(
  snapshot: Snapshot,
  { filter: { providers = [snapshot.provider] }, everyProvider, inOrder }: AskedAccounts,
): readonly ProviderPool[] {
  return snapshot.pools
    .filter(({ provider }) => everyProvider || providers.includes(provider))
    .sort((one, other) => inOrder.indexOf(one.provider) - inOrder.indexOf(other.provider))
}

/** A plan by any of its names at any provider. */
function planIn(name: string, allowed: readonly string[]): string {
  const kinds = [...providerIds, '' satisfies ProviderId].map((provider) =>
    planKindOf({ provider, name }),
  )
  return kinds.find((kind) => allowed.includes(kind)) ?? planKindOf(name)
}
