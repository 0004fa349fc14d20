import { type AccountFilter, planKindOf, type Snapshot } from '@svc/core'
import { knownPlanKinds, providerIds } from '@svc/core/service'
import type { FilterValues, UnknownValue } from '../answers/part-answer.ts'

/** The filter that these values mean in this pool, each list sorted; or the first unknown one. A plan or provider without any account is known. */
export function filterIn(
  { accounts, upstreams }: Snapshot,
  values: FilterValues,
): { readonly filter: AccountFilter } | UnknownValue {
  const known = {
    plan: () => [...knownPlanKinds, ...accounts.map(({ plan }) => plan)],
    provider: () => [...providerIds, ...accounts.map(({ account }) => account.provider)],
    upstream: () =>
      upstreams?.map(({ name }) => name) ?? accounts.map(({ account }) => account.upstream),
  }
  const filter: { -readonly [Name in keyof AccountFilter]: AccountFilter[Name] } = {}
  for (const parameter of ['plan', 'provider', 'upstream'] as const) {
    const asked = values[parameter]?.map((name) => (parameter === 'plan' ? planKindOf(name) : name))
    if (asked === undefined) continue
    const allowed = [...new Set(known[parameter]())]
    if (!asked.every((value) => allowed.includes(value))) return { unknown: { parameter, allowed } }
    filter[`${parameter}s`] = [...new Set(asked)].sort()
  }
  return { filter }
}
