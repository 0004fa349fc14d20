import { countText } from '../../format/format.ts'
import { type AboutAccounts, someNamesOf } from '../names/account-names.ts'

/** One account by its name, a group by its size. */
export function whoIn({ accounts }: AboutAccounts): string {
  const [first, ...others] = accounts
  return first !== undefined && others.length === 0
    ? first.title
    : `${countText(accounts.length)} 个账号`
}

/** The first few names of a group; null for one account, which `whoIn` names. */
export function namesIn(about: AboutAccounts): string | null {
  if (about.accounts.length === 1) return null
  const { named, unnamedCount } = someNamesOf(about)
  const list = named.join('、')
  return unnamedCount === 0 ? list : `${list}，另有 ${unnamedCount} 个`
}
