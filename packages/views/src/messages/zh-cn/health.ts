import type { Catalogue } from '../en/catalogue.ts'
import { spaced } from './spaced.ts'

/** Headings of the health payload, and its state in a line, in Chinese. */
export const health: Catalogue['health'] = {
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
