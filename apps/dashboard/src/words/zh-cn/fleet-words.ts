import { spaced } from '@svc/views/format/zh-cn'
import type * as english from '../fleet-words.ts'

/** Words about several proxies, in simplified Chinese. */
export const fleetWords: typeof english.fleetWords = {
  proxy: '代理',
  proxies: '代理',
  all: (count) => `全部 ${count} 个代理`,
  showOnly: (name) => `只显示 ${name}`,
  showAll: '显示全部代理',
  choice: (name, state) => `${name}（${state}）`,
  states: {
    live: '实时',
    partial: '部分读取',
    stale: '列表已过时',
    unavailable: '未读取',
    demo: '演示',
  },
  gatewayDown: '网关不可用',
  alsoAt: '也位于',
  at: '位于',
  readAgo: (span) => `列表读取于 ${span}前`,
  neverRead: '尚未读取列表',
  paceOfAll: '仅对全部代理合计测量',
  elsewhere: (name) => `此账号不在 ${name} 上。`,
  usageOfAll: '用量为全部代理合计。',
  daysOfAll: '以下为全部代理合计。',
  only: '只看此项',
  actionsOfAll: (count) => `（全部代理共 ${count} 项）`,
}

/** Words about several providers, in simplified Chinese. */
export const providerWords: typeof english.providerWords = {
  provider: '提供商',
  all: '全部提供商',
  named: (label, provider) => `${label} (${provider})`,
  elsewhere: (count) => `其他提供商还有 ${count} 项`,
  notOf: (provider) => spaced`此账号不属于${provider}。`,
  onlyOf: (home) => spaced`仅对${home}测量`,
}
