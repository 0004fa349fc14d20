import type { accountsWords as english } from '../accounts-words.ts'
import { spaced } from './spaced.ts'

/** Texts of the table of accounts, loaded together with it, in simplified Chinese. */
export const accountsWords: typeof english = {
  filters: (count) => (count === 0 ? '筛选' : `筛选（${count}）`),
  clearSearch: '清除搜索',
  markFilter: '状态',
  anyMark: '任何状态',
  marks: {
    good: '正常',
    warn: '警告',
    bad: '故障',
    unknown: '未知',
    wait: '等待中',
    off: '已停用',
  },
  paidFilter: '订阅',
  anyPaid: '任何订阅',
  paid: {
    soon: '7 天内到期',
    ended: '已到期',
    running: '有效',
    unknown: '到期时间未知',
  },
  paidHead: '到期',
  paidFor: (days) => (days < 1 ? '不足 1 天' : `剩 ${days} 天`),
  paidNoMore: '已到期',
  paidCommand: (text) => `订阅，${text}`,
  noneOf: (id) => `${id}（0）`,

  windows: { '5h': '5 小时', week: '每周' },
  routable: (count) => `可路由 ${count}`,
  notCounted: '没有计入容量的配额',
  windowSum: (window, left, tracked, unknown) =>
    `${window}剩余 ${left} / ${tracked} Plus${unknown === null ? '' : `（${unknown} 未知）`}`,
  tokens: (tokens) => `24 小时 ${tokens} Token`,

  groupByPlan: '按套餐分组',
  tableMenu: '更多表格操作',
  unitsOf: (left, tracked) => `${left} / ${tracked}`,
  unknownToo: (units) => `${units} 未知`,
  returns: (units, span) => `${span}后 +${units}`,
  noReturn: '恢复时间未知',

  pick: (account) => `选择 ${account}`,
  pickPlan: (plan) => spaced`选择${plan}的每个账号`,
  pickAll: '选择表格中的全部账号',
  picked: (sums, hidden) =>
    `已选择：${sums}${hidden === 0 ? '' : `（其中 ${hidden} 个现在不在表格中）`}`,
  selectAll: (count) => `全选 ${count} 个`,
  clearPicks: '清除选择',
  copyFiles: (count) => (count === 1 ? '复制认证文件名' : `复制 ${count} 个认证文件名`),
  copiedMasked: '复制的名称已遮盖。',

  showFilter: (filter) => `账号：${filter}`,
}
