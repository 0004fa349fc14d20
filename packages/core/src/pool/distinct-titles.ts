import type { AccountSelector } from '../facts/account.ts'
import { type PlanKind, planLabel } from '../facts/plan.ts'

interface Titled {
  readonly selector: AccountSelector
  readonly title: string
  readonly plan: PlanKind
}

/** Characters of the proxy's index that are enough to tell two accounts apart. */
const INDEX_LENGTH_SHOWN = 4

/** Longer titles, by authName, for accounts that share theirs with another: with the plan, then the index, then the file name. */
export function distinctTitles(accounts: readonly Titled[]): ReadonlyMap<string, string> {
  const longer = new Map<string, string>()
  const titleNow = ({ selector, title }: Titled) => longer.get(selector.authName) ?? title
  for (const titleOf of FURTHER_FORMS) {
    const counts = new Map<string, number>()
    for (const account of accounts)
      counts.set(titleNow(account), (counts.get(titleNow(account)) ?? 0) + 1)
    if (counts.size === accounts.length) break
    const shared = accounts.filter((account) => (counts.get(titleNow(account)) ?? 0) > 1)
    for (const account of shared) longer.set(account.selector.authName, titleOf(account))
  }
  return longer
}

const FURTHER_FORMS: readonly ((account: Titled) => string)[] = [
  ({ title, plan }) => `${title} · ${planLabel(plan)}`,
  ({ title, plan, selector }) =>
    `${title} · ${planLabel(plan)} · ${selector.authIndex.slice(0, INDEX_LENGTH_SHOWN)}`,
  ({ title, plan, selector }) => `${title} · ${planLabel(plan)} · ${selector.authName}`,
]
