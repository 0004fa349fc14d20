import type { recentChangeWords as english } from '../change-words.ts'

/** The texts around the list of recent changes, in simplified Chinese. */
export const recentChangeWords: typeof english = {
  kindLabel: '变化的类型',
  kinds: { all: '全部', account: '账号', pool: '账号池', source: '数据源' },
  account: '变化的账号',
  anyAccount: '全部账号',
  none: '没有保留此类变化。',
  more: (count) => `再显示 ${count} 项`,
  fewer: '收起',
  ofAccount: (count) => `${count} 项最近变化`,
}
