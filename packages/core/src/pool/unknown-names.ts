import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import type { ProviderId } from '../facts/provider.ts'

/** Windows, flags, types, limits and fields of one vendor that this version does not know. */
export interface UnknownNames {
  readonly provider: ProviderId
  /** Names in all; `names` has the first of them. */
  readonly count: number
  readonly names: readonly string[]
}

/** Most names shown of one provider. */
const NAMES_MAX = 24

/** Unknown names in the newest readings of these accounts, by provider; empty for none. They change no rule. */
export function unknownNamesIn(accounts: readonly EvaluatedAccount[]): readonly UnknownNames[] {
  const found = new Map<ProviderId, Set<string>>()
  for (const { account, unknownNames = [] } of accounts) {
    const names = found.get(account.provider) ?? new Set<string>()
    for (const name of unknownNames) found.set(account.provider, names.add(name))
  }
  return [...found]
    .map(([provider, names]) => ({
      provider,
      count: names.size,
      names: [...names].sort().slice(0, NAMES_MAX),
    }))
    .sort((one, other) => (one.provider < other.provider ? -1 : 1))
}
