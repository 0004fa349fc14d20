import { compactText, countText, unitsText, wholeUnitsText } from '@svc/views/format'
import type { AccountSums, WindowSum } from '../state/account-sums.ts'
import { unitText } from '../state/providers.ts'
import { accountsWords } from '../words/accounts-words.ts'
import { strings } from '../words/strings.ts'

/** Describes a set of accounts in one line: how many there are, how many are usable, the quota they have left, and the tokens they used. */
export function sumsText(sums: AccountSums): string {
  const { accounts, routable, tracked, tokens, windows } = sums
  return strings.listOf([
    strings.accountCount(accounts),
    accountsWords.routable(countText(routable)),
    ...(tracked === 0
      ? [accountsWords.notCounted]
      : windows.map((window) => windowSumText(window, sums))),
    ...(tokens === null ? [] : [accountsWords.tokens(compactText(tokens))]),
  ])
}

/** Sum of one window, as in `5h 3.2 of 8 Plus left, 1.0 unknown`. */
export function windowSumText(
  { id, left, unknown }: WindowSum,
  { tracked, unit }: Pick<AccountSums, 'tracked' | 'unit'>,
): string {
  return accountsWords.windowSum(
    accountsWords.windows[id] ?? id,
    unitsText(left),
    unitText(wholeUnitsText(tracked), unit),
    unknown === 0 ? null : unitsText(unknown),
  )
}
