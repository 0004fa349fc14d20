import { planOf } from '../account/account-plan.ts'
import { type AccountPolicy, evaluateAccount } from '../account/evaluate-account.ts'
import type { EvaluatedAccount, KnownBankedResets } from '../account/evaluated-account.ts'
import type { ReclaimWindow } from '../account/reclaim-window.ts'
import type { Account, AccountSelector } from '../facts/account.ts'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import { groupedBy } from '../facts/grouping.ts'
import type { AccountList, Observation } from '../facts/observation.ts'
import { capacityWeightOf, type PlanKind, planKindOf, planLabel } from '../facts/plan.ts'
import { type ProviderId, providerRowOf } from '../facts/provider.ts'
import type { EpochMs } from '../facts/time.ts'
import { fileKeyOf, type UpstreamName } from '../facts/upstream.ts'

/**
 * Evaluates every account under all rules, best first. `evidenceByAuthName` holds the evidence of each account; one without an entry was
 * never queried. The result does not depend on the order of the input.
 */
export function rankPool(
  accounts: readonly Account[],
  evidenceByAuthName: ReadonlyMap<string, AccountEvidence>,
  policy: AccountPolicy,
  now: EpochMs,
): readonly EvaluatedAccount[] {
  return rankedPool({ accounts, evidenceByAuthName, recentUsage: new Map() }, policy, now)
}

/** Works like `rankPool`, with the recent usage of each account. */
export function rankedPool(
  {
    accounts,
    evidenceByAuthName,
    recentUsage,
    queriedProviders,
  }: Pick<Observation, 'evidenceByAuthName' | 'recentUsage' | 'queriedProviders'> &
    Pick<AccountList, 'accounts'>,
  policy: AccountPolicy,
  now: EpochMs,
): readonly EvaluatedAccount[] {
  const evidenceOf = (account: Account) => evidenceByAuthName.get(fileKeyOf(account)) ?? null
  const usualPlans = usualPlansOf(accounts, evidenceOf)
  const evaluated = accounts.map((account) => {
    const one = evaluateAccount(
      account,
      evidenceOf(account),
      policy,
      now,
      recentUsage.get(account.selector.accountKey) ?? null,
      usualPlans.get(account.provider),
    )
    return queriedProviders?.has(account.provider) === false ? { ...one, ...neverQueried } : one
  })
  const titleByFile = titlesOf(evaluated)
  const ranked = rankAccounts(evaluated)
  const seen = new Set<string>()
  const bankedByKey = newestBankedResets(ranked)
  return ranked.map((account) => {
    // Of several files of one account, only the best-ranked one counts.
    const countedInCapacity = !seen.has(account.selector.accountKey)
    seen.add(account.selector.accountKey)
    const title = titleByFile.get(fileKeyOf(account.account)) ?? account.title
    const bankedResets = bankedByKey.get(account.selector.accountKey)
    return countedInCapacity && title === account.title && bankedResets === account.bankedResets
      ? account
      : { ...account, title, countedInCapacity, ...(bankedResets && { bankedResets }) }
  })
}

/** The newest banked resets of each account, by its key: the vendor keeps them for the account, whichever file was asked with. */
function newestBankedResets(
  accounts: readonly EvaluatedAccount[],
): ReadonlyMap<string, KnownBankedResets> {
  const newest = new Map<string, KnownBankedResets>()
  for (const { selector, bankedResets } of accounts) {
    const known = newest.get(selector.accountKey)
    if (bankedResets !== undefined && !(known && known.sampledAt >= bankedResets.sampledAt))
      newest.set(selector.accountKey, bankedResets)
  }
  return newest
}

/** Schedule of an account whose provider is not queried. */
const neverQueried = { quotaClass: 'none', sampleEverySeconds: null } as const

/**
 * Longer titles, by file, for accounts whose own title is not unique at their proxy. Proxies are compared separately, because an account
 * has the same title at several.
 */
function titlesOf(accounts: readonly EvaluatedAccount[]): ReadonlyMap<string, string> {
  const byUpstream = groupedBy(accounts, ({ account }) => account.upstream)
  const titles = new Map<string, string>()
  for (const [upstream, ofIt] of byUpstream)
    for (const [{ selector }, title] of distinctTitles(ofIt))
      titles.set(fileKeyOf({ upstream, selector }), title)
  return titles
}

interface Titled {
  readonly selector: AccountSelector
  readonly title: string
  readonly plan: PlanKind
  readonly planName?: string | null
}

/** Characters of the proxy's index that are enough to distinguish two accounts. */
const INDEX_LENGTH_SHOWN = 4

/** One title per account key, for totals over all files and proxies. Equal titles are made distinct as in the ranking, also across proxies. */
export function accountTitlesOf(
  accounts: readonly EvaluatedAccount[],
): ReadonlyMap<string, string> {
  const byKey = new Map<string, Titled>()
  for (const one of accounts) {
    const { accountKey } = one.selector
    if (!byKey.has(accountKey)) byKey.set(accountKey, { ...one, title: one.account.title })
  }
  const longer = distinctTitles([...byKey.values()])
  return new Map([...byKey].map(([key, one]) => [key, longer.get(one) ?? one.title]))
}

/** Longer titles for accounts with the same title: with the plan, then the index, then the file name. */
export function distinctTitles<Account extends Titled>(
  accounts: readonly Account[],
): ReadonlyMap<Account, string> {
  const longer = new Map<Account, string>()
  const titleNow = (account: Account) => longer.get(account) ?? account.title
  for (const titleOf of FURTHER_FORMS) {
    const counts = new Map<string, number>()
    for (const account of accounts)
      counts.set(titleNow(account), (counts.get(titleNow(account)) ?? 0) + 1)
    if (counts.size === accounts.length) break
    const shared = accounts.filter((account) => (counts.get(titleNow(account)) ?? 0) > 1)
    for (const account of shared) longer.set(account, titleOf(account))
  }
  return longer
}

const FURTHER_FORMS: readonly ((account: Titled) => string)[] = [
  ({ title, plan, planName }) => `${title} · ${planLabel(plan, planName)}`,
  ({ title, plan, planName, selector }) =>
    `${title} · ${planLabel(plan, planName)} · ${selector.authIndex.slice(0, INDEX_LENGTH_SHOWN)}`,
  ({ title, plan, planName, selector }) =>
    `${title} · ${planLabel(plan, planName)} · ${selector.authName}`,
]

/** Members of an account that the ranking reads. */
export interface Rankable {
  readonly selector: AccountSelector
  readonly routable: boolean
  readonly score: number
  readonly reclaim: ReclaimWindow | null
  readonly capacityWeight: number
  /** Left out if all accounts are of one proxy. */
  readonly account?: { readonly upstream: UpstreamName }
}

/** Best account first, blocked ones last; the same accounts always come out in the same order. See docs/rules.md#routing-score. */
export function rankAccounts<Account extends Rankable>(
  accounts: readonly Account[],
): readonly Account[] {
  return [...accounts].sort(byRank)
}

/** Order of two accounts, best first. */
export function byRank(a: Rankable, b: Rankable): number {
  return (
    Number(b.routable) - Number(a.routable) ||
    b.score - a.score ||
    reclaimSeconds(a) - reclaimSeconds(b) ||
    b.capacityWeight - a.capacityWeight ||
    byText(a.selector.authName, b.selector.authName) ||
    byText(a.selector.accountKey, b.selector.accountKey) ||
    byText(a.account?.upstream ?? '', b.account?.upstream ?? '')
  )
}

/** Larger than any reset, and finite, so that two accounts without a reset compare equal. */
const NO_RECLAIM_SECONDS = Number.MAX_SAFE_INTEGER

function reclaimSeconds(account: Rankable): number {
  return account.reclaim?.resetsInSeconds ?? NO_RECLAIM_SECONDS
}

function byText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

const UNKNOWN = planKindOf(null)

/** The most common plan of each provider whose plans differ in size; the smaller one in a tie. Providers without a known plan are omitted. */
function usualPlansOf(
  accounts: readonly Account[],
  evidenceOf: (account: Account) => AccountEvidence | null,
): ReadonlyMap<ProviderId, PlanKind> {
  const counts = new Map<ProviderId, Map<PlanKind, number>>()
  for (const account of accounts) {
    const { provider } = account
    if (providerRowOf(provider).otherPlansWeight > 0) continue
    const plan = planOf(account, evidenceOf(account))
    const ofIt = counts.get(provider) ?? new Map<PlanKind, number>()
    if (plan !== UNKNOWN) counts.set(provider, ofIt.set(plan, (ofIt.get(plan) ?? 0) + 1))
  }
  const usualOf = (provider: ProviderId, ofIt: ReadonlyMap<PlanKind, number>) => {
    const weight = (plan: PlanKind) => capacityWeightOf({ provider, plan })
    const byCount = [...ofIt].sort(
      ([a, countA], [b, countB]) => countB - countA || weight(a) - weight(b) || (a < b ? -1 : 1),
    )
    return byCount.slice(0, 1).map(([plan]) => [provider, plan] as const)
  }
  return new Map([...counts].flatMap(([provider, ofIt]) => usualOf(provider, ofIt)))
}
