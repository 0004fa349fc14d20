import type { Catalogue } from '../en/catalogue.ts'
import { spaced } from './spaced.ts'
import { windowLabel } from './window-label.ts'

export const calendar: Catalogue['calendar'] = {
  title: '配额重置',
  account: ({ plan, key }) => spaced`${plan} 账号 ${key}`,
  reset: ({ account, windowId }) => `${windowLabel(windowId)}配额重置：${account}`,
  gives: (units, unit) => `恢复 ${units} ${unit}。`,
  subscriptionEnds: (account) => `订阅到期：${account}`,
  asLoginSaid: (seen) =>
    spaced`以其${seen === null ? '' : spaced`${seen} 的`}登录信息为准；此后的续订不会显示。`,
}
