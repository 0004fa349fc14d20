import type { ActionOf, ActionTexts } from '../conditions/action-condition.ts'
import { causesIn, type LossCause } from '../names/lost-logins.ts'
import { namesIn } from './account-names.ts'
import { spaced } from './spaced.ts'

const causes: Readonly<Record<LossCause, string>> = {
  expired: '已过期',
  invalidated: '被厂商终止',
  refresh_refused: '刷新被拒绝',
  deactivated: '套餐或工作区已终止',
  refused: '被拒绝且原因未知',
}

/** Words of an action about accounts that lost their login together, in Chinese. */
export const loginWave: ActionTexts<ActionOf<'login_wave'>> = {
  title: '多个登录同时失效',
  badge: '成批',
  summary: (action, { now, text }) => {
    const [first, last] = [action.accounts[0], action.accounts.at(-1)].map((account) =>
      text.momentText(account?.lostAt ?? now, now),
    )
    const when = first === last ? `在 ${first} ` : spaced`在 ${first ?? ''} 至 ${last ?? ''} 之间`
    const split = [...causesIn(action)].map(([cause, count]) => `${count} 个${causes[cause]}`)
    return `${action.accounts.length} 个账号${when}失去登录：${split.join('，')}。`
  },
  detail: namesIn,
  remedy: '续订或移除套餐或工作区已终止的账号，其余账号在代理上重新登录。',
  variants: {
    expired: { remedy: '在代理上重新登录，并让代理保持运行，由它刷新登录。' },
    invalidated: { remedy: '查明终止的原因，例如更改密码或退出所有设备，然后在代理上重新登录。' },
    refresh_refused: {
      remedy: '不要让其他程序刷新同一登录，因为每次刷新只能用一次；然后在代理上重新登录。',
    },
    deactivated: { remedy: '续订套餐或工作区，或从代理上移除这些账号。' },
    refused: { remedy: '先用一个账号在代理上重新登录；若仍被拒绝，在厂商处查看。' },
  },
}
