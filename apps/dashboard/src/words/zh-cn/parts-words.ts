import type { partsWords as english } from '../parts-words.ts'

/** Words of the sheet with the parts of a sum of quota, in simplified Chinese. */
export const partsWords: typeof english = {
  title: '各账号的配额',
  states: {
    usable: (count) => `可用：${count} 个账号`,
    held: (count) => `受阻账号上：${count} 个账号`,
    unknown: (count) => `未知，尚未读取：${count} 个账号`,
  },
  more: (count) => `另有 ${count} 个`,
  all: '全部（JSON）',
  failed: '无法载入各部分。',
}
