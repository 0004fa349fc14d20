import type { priceWords as english } from '../price-words.ts'

/** Words of prices and costs in simplified Chinese. */
export const priceWords: typeof english = {
  note: (source) =>
    `费用按 API 标价计算（${source ?? '自定价格'}），并非实际支付的金额。记录中没有、因此未计入的有：保留一小时的缓存写入（按 5 分钟的价格计）、Claude 的快速模式、工具和图片。`,
  file: (kind, read) => `${kind} 的价格文件，${read} 读取`,
  ofAccount: (day, week, month) =>
    `按 API 标价的费用：24 小时 ${day}，7 天 ${week}，30 天 ${month}`,
  worth: (times, isAtLeast) => `，${isAtLeast ? '至少' : ''}为订阅价的 ${times} 倍`,
  subscriptions: (list, paid) => `全部订阅在 30 天内：按 API 标价 ${list}，支付 ${paid}`,
  heads: {
    model: '模型',
    rates: ['输入', '缓存读取', '缓存写入', '输出'],
    source: '来源',
    tokens: 'Token（30 天）',
    cost: '费用',
  },
  caption: (asOf) => `全部提供商的 API 标价，美元 / 百万 Token；用量截至 ${asOf}`,
  sources: { file: '价格文件', own: '自定价格' },
  since: (source, day) => `${source}，自 ${day} 起`,
  tiers: { priority: '优先', flex: '弹性' },
  above: (tokens) => `输入超过 ${tokens}`,
  loading: '正在加载价格。',
  none: '最近 30 天没有使用任何模型。',
  noPrices:
    '没有设置价格。请在配置中把 `price_file` 设为价格文件，或把 `price_overrides` 设为自定价格；`init prices` 说明如何获取价格文件。',
  failed: '无法加载价格。',
}
