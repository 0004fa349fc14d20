import type { AccountSelector } from './account.ts'
import { type PlanKind, planLabel } from './plan.ts'

interface Titled {
  readonly selector: AccountSelector
  readonly title: string
  readonly plan: PlanKind
}

/** How much of the proxy's index tells two accounts apart at a glance. */
const INDEX_LENGTH_SHOWN = 4

/** Titles by authName, made unique: where two are equal the plan is appended, then the index, at last the file name. */
export function distinctTitles(accounts: readonly Titled[]): ReadonlyMap<string, string> {
  const titleByAuthName = new Map(accounts.map((account) => [account.selector.authName, account.title]))
  for (const titleOf of FURTHER_FORMS) {
    const counts = new Map<string, number>()
    for (const title of titleByAuthName.values()) counts.set(title, (counts.get(title) ?? 0) + 1)
    const shared = accounts.filter(({ selector }) => (counts.get(titleByAuthName.get(selector.authName) ?? '') ?? 0) > 1)
    for (const account of shared) titleByAuthName.set(account.selector.authName, titleOf(account))
  }
  return titleByAuthName
}

const FURTHER_FORMS: readonly ((account: Titled) => string)[] = [
  ({ title, plan }) => `${title} · ${planLabel(plan)}`,
  ({ title, plan, selector }) => `${title} · ${planLabel(plan)} · ${selector.authIndex.slice(0, INDEX_LENGTH_SHOWN)}`,
  ({ title, plan, selector }) => `${title} · ${planLabel(plan)} · ${selector.authName}`,
]
