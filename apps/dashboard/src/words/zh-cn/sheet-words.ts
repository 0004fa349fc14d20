import type * as english from '../sheet-words.ts'
import type { Explained } from '../terms.ts'
import { terms } from './terms.ts'

/** Every term of the page with its explanation, in simplified Chinese. */
export const glossary: Readonly<Record<keyof typeof english.glossary, Explained>> = {
  ...terms,
  measured: { word: '实测', meaning: '来自按计划更新的读数。' },
  stale: {
    word: '过时',
    meaning: '来自旧读数：现在剩余的可能更少。在有新读数之前仍算作剩余。',
  },
  unknown: { word: '未知', meaning: '属于还没有读取过的账号。' },
  notReported: {
    word: '未报告',
    meaning: '厂商没有报告该账号的这项配额。与未知不同，再读取也不会改变；账号按其状态使用。',
  },
  blockedModels: {
    word: '不可用的模型',
    meaning:
      '行中写着“不可用：Opus”：只用于这些模型的窗口已用尽，账号仍可服务其他模型。状态和评分不受影响。',
  },
  routable: { word: '可路由', meaning: '现在可以使用。受阻的账号不可使用。' },
  waitsForWeek: {
    word: '等待每周重置',
    meaning: '每周配额已用尽：在每周重置之前，5 小时窗口的重置不会恢复任何配额。',
  },
  resetUnproven: {
    word: '已重置？',
    meaning: '重置时间已过，因此按满额计算，但还没有更新的读数确认。',
  },
  notStarted: {
    word: '首次使用起算',
    meaning: '此窗口从第一个请求开始计时，目前还没有请求。',
  },
  notCounted: {
    word: '不计入',
    meaning: '不属于账号池的容量：套餐的权重未知，或该账号已经计入。',
  },
  load: { word: '24 小时负载', meaning: '账号池的 Token 中经过此账号的份额。' },
  notTracked: {
    word: '未跟踪',
    meaning: '运维人员已停用此账号：不查询也不计入它的配额。',
  },
  probe: { word: '探测', meaning: '为取得读数而对一个账号的配额进行的一次查询。' },
  sample: { word: '读数', meaning: '账号各窗口的最新读数：有多旧，来自哪里。' },
  gateway: { word: '网关', meaning: '用户所访问的代理。' },
  source: { word: '数据源', meaning: '监控所观察的对象，以及它上次响应的时间。' },
}

/** Words of the sheet with the parts of a sum of quota, in simplified Chinese. */
export const partsWords: typeof english.partsWords = {
  title: '各账号的配额',
  states: {
    usable: (count) => `可用：${count} 个账号`,
    held: (count) => `受阻账号上：${count} 个账号`,
    unknown: (count) => `未知，尚未读取：${count} 个账号`,
  },
  loading: '正在加载账号。',
  more: (count) => `另有 ${count} 个`,
  all: '全部（JSON）',
  failed: '无法载入各部分。',
}
