import type { Catalogue } from '../en/catalogue.ts'

const ranges: Catalogue['usage']['ranges'] = {
  '1h': '最近 1 小时',
  '6h': '最近 6 小时',
  '24h': '最近 24 小时',
  '7d': '最近 7 天',
  '30d': '最近 30 天',
  all: '全部',
}
const groups: Catalogue['usage']['groups'] = {
  total: '合计',
  account: '账号',
  client: '客户端',
  model: '模型',
  api: 'API 名称',
  provider: '提供商',
  upstream: '代理',
}

/** Usage, and what it is charted by, in Chinese. */
export const usage: Catalogue['usage'] = {
  title: '用量',
  noData: '没有用量数据',
  noHistory: '没有用量历史',
  requests: (count) => `${count} 次请求`,
  tokens: (count) => `${count} Token`,
  perMinute: (rate) => `${rate}/分钟`,
  line: ({ requests, tokens, range }) => `${ranges[range]}：${requests} · ${tokens}`,
  by: (group) => (group === 'api' ? `按 ${groups.api}` : `按${groups[group]}`),
  ranges,
  groups,
  metrics: { tokens: 'Token', requests: '请求', failed: '失败的请求' },
  modes: { bucket: '每个时段', rate: '每分钟' },
}
