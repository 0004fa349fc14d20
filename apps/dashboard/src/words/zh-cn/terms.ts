import { RUNWAY_HOURS_MAX } from '@svc/core/pool'
import type { Explained, TermId } from '../terms.ts'

/** Terms explained where they are used, in simplified Chinese. */
export const terms: Readonly<Record<TermId, Explained>> = {
  plus: {
    word: 'Plus',
    meaning: 'Plus 账号的一个完整窗口为一个 Plus。Team 计 1，Prolite 计 5，Pro 计 20。',
  },
  pro: {
    word: 'Pro',
    meaning: 'Claude Pro 账号的一个完整窗口为一个 Pro。Max 5x 计 5，Max 20x 计 20。',
  },
  accounts: {
    word: '个账号',
    meaning: '厂商没有公布套餐的大小，因此每个账号的一个完整窗口都计 1。',
  },
  pace: {
    word: '消耗',
    meaning: `监控预计未来一小时消耗的配额单位，以及剩余配额能维持多久：分为不再有重置恢复配额，和计入之后的重置两种情况。更晚的时段按一天中该时段的常态估算，因此两个数字不一定能相除得出。订阅在 ${RUNWAY_HOURS_MAX} 小时内到期的账号，其配额只计到那时。`,
  },
  next: { word: '下次', meaning: '此窗口的下一次重置给账号池恢复的配额。' },
  score: {
    word: '评分',
    meaning:
      '下一个使用此账号有多合适，0 到 100：取决于剩余配额与剩余时间、健康、套餐、负载，以及不用会作废的配额。',
  },
  reclaim: {
    word: '不用即作废',
    meaning: '一小时内没有人用就会失去的 5 小时配额（回收）。',
  },
}
