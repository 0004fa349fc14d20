import { countText } from '../../format/format.ts'
import { spaced } from '../../format/spaced.ts'
import type { Catalogue } from '../en/catalogue.ts'
import { answer } from './answer.ts'
import { changes } from './changes.ts'
import { actions } from './health-actions.ts'
import { countedAccountsText, planName, windowLabel } from './names.ts'
import { notices, notifyConditions } from './notices.ts'
import { calendar, picks, pool } from './pool.ts'
import { sourceConditions } from './source-failures.ts'
import { benchmarkText, schedulers, sourceRows, sources } from './sources.ts'
import { failureCodes, stats } from './stats.ts'
import { scoreReasons, statuses } from './statuses.ts'
import { unitNames, unitNoun } from './unit-name.ts'

/** Headings of the health payload, and a one-line summary of its state, in Chinese. */
const health: Catalogue['health'] = {
  title: '健康',
  actions: '需要处理',
  sources: '数据源',
  recentChanges: '最近变化',
  worst: (title, moreCount) =>
    moreCount === 0 ? `${title}。` : `${title}，另有 ${moreCount} 项。`,
  nothingToDo: '无需处理。',
  waiting: '等待首次读数。',
  sourceTrouble: '暂无需处理，但有数据源异常。',
  actionCount: (count) => `${count} 项待办`,
  states: { good: '良好', warn: '警告', bad: '异常', unknown: '未知' },
  times: ({ count, since }) => spaced`自 ${since} 起 ${count} 次`,
}

const queries: Catalogue['queries'] = {
  refreshFailures: {
    quota_off: '直接配额查询已关闭：请设置 quota_transport。',
    deadline: '耗时过长。',
    cancelled: '已取消。',
    no_direct_quota: '无法查询此账号的配额。',
    vendor_asks_to_wait: '厂商要求暂不查询此账号。',
    asked_lately: '不到一分钟前刚向厂商查询过此账号。',
  },
  askedLately: (until) =>
    until === null ? '重启或重新加载之前不再查询厂商。' : spaced`${until} 之前不查询厂商。`,
  disabledProbe: {
    auth_invalid: '厂商拒绝了登录。',
    error: '查询失败。',
  },
}

const snapshotSource: Catalogue['snapshotSource'] = {
  live: ({ accounts, readAt }) =>
    spaced`实时：${accounts}${readAt === null ? '' : spaced`，读取于 ${readAt}`}`,
  partial: (failedSources) =>
    `部分实时：${failedSources.length === 0 ? '部分数据源尚未读取' : `${failedSources.join('、')}失败`}`,
  stale: (answeredAt) =>
    answeredAt === null
      ? '账号列表已过时'
      : spaced`账号列表已过时：代理最后一次响应在 ${answeredAt}`,
  unavailable: (missing) => `尚无数据：${missing}`,
  demo: (accountCount) => `演示：${countText(accountCount)} 个示例账号`,
  missing: {
    anything: '等待首次读数',
    key: '没有管理密钥',
    keyFile: '管理密钥文件无法使用',
    keyAccepted: '代理拒绝了管理密钥',
    access: '代理拒绝来自本地址的管理请求',
    banEnd: (until) => spaced`代理封禁本地址至 ${until}`,
  },
}

const ranges: Catalogue['usage']['ranges'] = {
  '1h': '最近 1 小时',
  '6h': '最近 6 小时',
  '24h': '最近 24 小时',
  '7d': '最近 7 天',
  '30d': '最近 30 天',
  all: '全部',
  custom: '所选时段',
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

const usage: Catalogue['usage'] = {
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
  metrics: {
    tokens: 'Token',
    requests: '请求',
    failed: '失败的请求',
    input: '输入 Token',
    cached: '缓存 Token',
    output: '输出 Token',
    cache_share: '输入的缓存占比',
    latency_p50: '延迟中位数',
    latency_p95: '延迟 95 分位',
    first_token_p50: '首个 Token 中位数',
    first_token_p95: '首个 Token 95 分位',
    failed_auth: '401 或 403 失败',
    failed_limit: '429 失败',
    failed_vendor: '500–599 失败',
    cost: '按 API 标价的费用',
  },
  modes: { bucket: '每个时段', rate: '每分钟' },
}

const unpriced: Catalogue['unpriced'] = {
  classes: '记录没有区分输入、缓存和输出。',
  model: '价格文件和自定价格中都没有此模型。',
  tier: '没有该服务等级的价格。',
  band: '价格文件中的条目被拒绝：它按其他输入长度分段。',
  zero: '价格文件中的条目被拒绝：价格为零。',
  rate: '价格文件中的条目被拒绝：价格无效。',
}

export const chinese: Catalogue = {
  actions,
  answer,
  benchmarkText,
  calendar,
  changes,
  countedAccountsText,
  failureCodes,
  health,
  notices,
  notifyConditions,
  picks,
  planName,
  pool,
  queries,
  schedulers,
  scoreReasons,
  snapshotSource,
  sourceConditions,
  sourceRows,
  sources,
  stats,
  statuses,
  unitNames,
  unitNoun,
  unpriced,
  usage,
  windowLabel,
}
