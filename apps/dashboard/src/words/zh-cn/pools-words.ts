import type { poolsWords as english } from '../pools-words.ts'
import { spaced } from './spaced.ts'

/** Words of the table of pools in simplified Chinese. */
export const poolsWords: typeof english = {
  title: '提供商',
  heads: ['提供商', '状态', '剩余', '下次重置'],
  of: (part, whole) => `${part} / ${whole}`,
  routable: (count, all) => `可路由 ${count} / ${all}`,
  window: (label, percent) => `${label} ${percent}`,
  unknown: (units) => `${units} 未知`,
  noWindow: '没有账号整体的配额',
  noWindowBrief: '没有整体配额',
  show: (provider) => spaced`显示${provider}的账号`,
}
