import { type AccountFilter, planKindOf, type Snapshot } from '@svc/core'
import { knownPlanKinds, providerIds } from '@svc/core/service'
import type { FilterValues, UnknownValue } from '../answers/part-answer.ts'

/** The filter that these values mean in this pool, each list sorted; or the first unknown one. A plan or provider without any account is known. */
export function filterIn(
  snapshot: Snapshot,
  values: FilterValues,
): { readonly filter: AccountFilter } | UnknownValue {
  const { accounts } = snapshot
  const plans = listed(values.plan?.map((name) => planKindOf(name)))
  const providers = listed(values.provider)
  const upstreams = listed(values.upstream)
  const allowed = {
    plan: () => [...knownPlanKinds, ...accounts.map(({ plan }) => plan)],
    provider: () => [...providerIds, ...accounts.map(({ account }) => account.provider)],
    upstream: () => upstreamsIn(snapshot),
  }
  const given = { plan: plans, provider: providers, upstream: upstreams }
  for (const parameter of ['plan', 'provider', 'upstream'] as const) {
    const asked = given[parameter]
    if (asked === undefined) continue
    const known = [...new Set(allowed[parameter]())]
    if (!asked.every((value) => known.includes(value)))
      return { unknown: { parameter, allowed: known } }
  }
  return {
    filter: {
      ...(plans === undefined ? {} : { plans }),
      ...(providers === undefined ? {} : { providers }),
      ...(upstreams === undefined ? {} : { upstreams }),
    },
  }
}

function listed(values: readonly string[] | undefined): readonly string[] | undefined {
  return values === undefined ? undefined : [...new Set(values)].sort()
}

/** Names of the watched proxies. */
function upstreamsIn({ upstreams, accounts }: Snapshot): readonly string[] {
  return upstreams?.map(({ name }) => name) ?? accounts.map(({ account }) => account.upstream)
}
