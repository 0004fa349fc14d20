import type { poolsWords as english } from '../pools-words.ts'
import { spaced } from './spaced.ts'

/** Words of the table of pools in simplified Chinese. */
export const poolsWords: typeof english = {
  title: '提供商',
  heads: ['提供商', '可路由', '剩余', '下次重置'],
  window: (window, left, percent) =>
    [window, left, percent ?? '?'].filter((text) => text !== '').join(' '),
  of: (count, all) => `${count} / ${all}`,
  routable: (count, all) => `可路由 ${count} / ${all}`,
  unknown: (units) => `${units} 未知`,
  nothing: '没有报告配额',
  show: (provider) => spaced`显示${provider}的账号`,
}
