import { spaced } from '@svc/views/format/zh-cn'
import type { poolsWords as english } from '../pools-words.ts'

/** Words of the rows of providers, in simplified Chinese. */
export const poolsWords: typeof english = {
  title: '提供商',
  routable: (count, all) => `可路由 ${count} / ${all}`,
  noWindow: '没有整个账号的配额',
  show: (provider) => spaced`显示${provider}的账号`,
  spans: {
    usable: (to) => spaced`可用到${to}`,
    risk: (to) => spaced`到${to}可能用尽`,
    dry: (to) => spaced`到${to}用尽`,
    unknown: (to) => spaced`到${to}未知`,
  },
}
