import type { changeWords as english } from '../change-words.ts'

/** The texts around the list of recent changes, in simplified Chinese. */
export const changeWords: typeof english = {
  kindLabel: '显示哪些变化',
  kinds: { all: '全部', account: '账号', pool: '账号池', source: '来源' },
  account: '变化所属账号',
  anyAccount: '所有账号',
  none: '没有保留此类变化。',
  more: (count) => `再显示 ${count} 条`,
  fewer: '收起',
  ofAccount: (count) => `${count} 条近期变化`,
}
