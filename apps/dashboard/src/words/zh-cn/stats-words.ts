import { spaced } from '@svc/views/format/zh-cn'
import type { statsWords as english } from '../stats-words.ts'

/** Words of the Stats view in simplified Chinese. */
export const statsWords: typeof english = {
  range: '范围',
  custom: '自定义…',
  metric: '指标',
  metricFamilies: ['用量', 'Token 种类', '速度', '失败'],
  by: '分组',
  top: '前 N 名',
  form: '图形',
  forms: { area: '面积', line: '折线' },
  bars: '柱形',
  mode: '模式',
  modes: (bucketSeconds) => ({
    bucket: bucketSeconds === 0 ? '按计数' : spaced`每${spanOf(bucketSeconds)}`,
    rate: '每分钟',
  }),
  moreControls: '更多',
  smooth: '平滑',
  compare: '对比',
  before: (value) => `此前\u00a0${value}`,
  change: (what, percent, since) =>
    percent === 0
      ? spaced`${what}：与自${since}起的上一时段持平。细点线为上一时段。`
      : spaced`${what}：比自${since}起的上一时段${percent > 0 ? '高' : '低'} ${Math.abs(percent)}%。细点线为上一时段。`,
  changeUnknown: (since) => spaced`无法对比：自${since}起的时段没有完整记录用量，或没有用量。`,
  notCompared: '超过 7 天的范围没有可对比的上一时段。',
  failedWord: '失败',
  tokensWord: 'Token',
  requestsWord: '请求',
  sinceNote: (from, bucketSeconds) => spaced`自${from}起，每${spanOf(bucketSeconds)}一段`,
  keptSince: (moment, span) => spaced`用量自${moment}起保留，共 ${span}。`,
  nothingMissed: '此范围内没有遗漏。',
  missed: (percent, span) => `覆盖率 ${percent}%，可能缺少 ${span}的用量。`,
  hatched: '斜线：未知。',
  perMinute: '分钟',
  perBucket: (bucketSeconds) => spanOf(bucketSeconds),
  notKeptBefore: (moment) => `${moment} 之前未保留`,
  weekTooShort: '保留满一天的用量之后，才显示一周中的各小时。',
  failedShare: (unit, bucketSeconds) =>
    spaced`${unit}占全部请求的百分比，每${spanOf(bucketSeconds)}一段`,
  chartUnitBy: (unit, bucketSeconds) => spaced`${unit}，每${spanOf(bucketSeconds)}一段`,
  chartUnit: (unit, per) => `${unit} / ${per}`,
  soFar: '目前',
  bucketSoFar: (span) => `${span}（截至目前）`,
  bucketSpan: (day, from, to) => `${day}，${from} – ${to}`,
  seconds: (seconds) => `${seconds.toFixed(seconds < 10 ? 1 : 0)}\u00a0秒`,
  notKnown: '未知',
  otherLine: '其他',
  total: '总计',
  accountDetails: '详情',
  showAlone: '只显示此线，或重新显示所有线',
  wholeRange: '整个范围',
  notTold: '未知：代理在此范围内没有提供。',
  notOffered: {
    rows_deleted: '未知：此范围的单个请求已不再保留。请选择更短的范围。',
    too_many_requests: '未计算：此范围的请求过多。请选择更短的范围。',
  },
  chartAsTable: '以表格显示图表',
  bucketHead: '时间',
  weekTitle: (unit) => `最近七天，逐小时：${unit}`,
  weekNote: '颜色越深，用量越多。此刻之后的小时为上周数据。',
  noHistory:
    '没有用量历史。请在配置中设置 `state_db = "history.db"`，或用 `--state-db <path>` 启动。',
  toHealth: '在“健康”页查看设置情况',
  noRows: '此范围内没有用量。',
  loading: '正在加载图表。',
  chartKept: (range, group, moment) =>
    spaced`没有更新的图表。这是最后一张：${range}，按${group}，截至${moment}。`,
  chartLabel: (metric, group, range) => `${metric}，按${group}，${range}`,
  shareOf: { tokens: 'Token 占比', requests: '请求占比', failed: '失败占比' },
  unpricedShare: (share) => `${share} 无价格`,
  rest: (count) => `另有 ${count} 项`,
  savedName: 'usage',
  csv: 'CSV',
  json: 'JSON',
  apiQuestion: 'API 名称可能是客户端密钥。要在此屏幕上显示吗？',
  apiShow: '显示名称',
  apiKeep: '保持隐藏',
}

/** A length of time in words, as in `15 分钟`, `小时`, `2 小时`, `7 天`. */
function spanOf(seconds: number): string {
  if (seconds === 60) return '分钟'
  if (seconds === 3_600) return '小时'
  if (seconds < 3_600) return `${seconds / 60} 分钟`
  if (seconds < 86_400) return `${seconds / 3_600} 小时`
  return seconds === 86_400 ? '天' : `${seconds / 86_400} 天`
}
