import type { Account } from '../account/account.ts'
import { distinctTitleSteps } from '../account/distinct-titles.ts'
import { rankAccounts } from '../scoring/rank-accounts.ts'
import { finish, mapInSteps, type Steps } from '../steps.ts'
import type { EpochMs } from '../time.ts'
import { type AccountPolicy, evaluateAccount } from './evaluate-account.ts'
import type { EvaluatedAccount } from './evaluated-account.ts'
import type { AccountEvidence } from './observation.ts'

/**
 * Every account under all rules, best first. `evidenceByAuthName` holds what was read of each; an account without an
 * entry was never queried. The same input in any order gives the same output.
 */
export function rankPool(
  accounts: readonly Account[],
  evidenceByAuthName: ReadonlyMap<string, AccountEvidence>,
  policy: AccountPolicy,
  now: EpochMs,
): readonly EvaluatedAccount[] {
  return finish(rankPoolSteps(accounts, evidenceByAuthName, policy, now))
}

/** The same in parts. */
export function* rankPoolSteps(
  accounts: readonly Account[],
  evidenceByAuthName: ReadonlyMap<string, AccountEvidence>,
  policy: AccountPolicy,
  now: EpochMs,
): Steps<readonly EvaluatedAccount[]> {
  const evaluated = yield* mapInSteps(accounts, (account) =>
    evaluateAccount(account, evidenceByAuthName.get(account.selector.authName) ?? null, policy, now),
  )
  const titleByAuthName = yield* distinctTitleSteps(evaluated)
  const ranked = rankAccounts(evaluated)
  yield
  const seen = new Set<string>()
  return yield* mapInSteps(ranked, (account) => {
    // Of several files of one account the best-ranked one stands for it.
    const countedInCapacity = !seen.has(account.selector.accountKey)
    seen.add(account.selector.accountKey)
    const title = titleByAuthName.get(account.selector.authName) ?? account.title
    return countedInCapacity && title === account.title ? account : { ...account, title, countedInCapacity }
  })
}
