import type { accountsWords as english } from '../accounts-words.ts'

/** The texts of the table of accounts that come with it, in simplified Chinese. */
export const accountsWords: typeof english = {
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
  noneOf: (id) => `${id}（0）`,

  showFilter: (filter) => `账号：${filter}`,
}
