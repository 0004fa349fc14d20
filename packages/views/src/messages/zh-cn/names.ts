import { type PlanKind, type ProviderId, planLabel } from '@svc/core'
import { durationText } from '../../format/chinese-times.ts'
import { countText } from '../../format/format.ts'
import {
  type AboutAccounts,
  countsByProvider,
  createWindowLabel,
  someNamesOf,
} from '../names/names.ts'

/** The name of a plan: a product name that is not translated, or a Chinese text if the plan is unknown. */
export function planName(plan: PlanKind, named?: string | null): string {
  return plan === 'unknown' ? '未知' : planLabel(plan, named)
}

/** The name of a single account, or the size of a group. */
export function whoIn({ accounts }: AboutAccounts): string {
  const [first, ...others] = accounts
  return first !== undefined && others.length === 0
    ? first.title
    : `${countText(accounts.length)} 个账号`
}

/** The first few names of a group; null for a single account, which `whoIn` names. */
export function namesIn(about: AboutAccounts): string | null {
  if (about.accounts.length === 1) return null
  const { named, unnamedCount } = someNamesOf(about)
  const list = named.join('、')
  return unnamedCount === 0 ? list : `${list}，另有 ${unnamedCount} 个`
}

/** Size of a pool, given the provider of each account: `24 个 Codex 账号`, or `24 个 Codex、3 个 Claude 账号`. */
export function countedAccountsText(providers: readonly ProviderId[]): string {
  const { named, restCount } = countsByProvider(providers)
  const parts = named.map(([label, count]) => `${countText(count)} 个 ${label}`)
  if (restCount > 0) return [...parts, `${countText(restCount)} 个其他账号`].join('、')
  return parts.length === 0 ? '0 个账号' : `${parts.join('、')} 账号`
}

/** Label of a window: `5 小时`, `每周`, `Code review 每周`. */
export const windowLabel = createWindowLabel({
  own: {
    '5h': '5 小时',
    day: '每天',
    week: '每周',
    month: '每月',
    spend: '消费上限',
    limit: '上限',
  },
  durationText,
  ofScope: (scope, label) => `${scope} ${label}`,
})
