import { countText } from '../../format/format.ts'
import type { Catalogue } from '../en/catalogue.ts'
import { planName } from './plan-name.ts'
import { spaced } from './spaced.ts'
import { unitNames } from './unit-name.ts'
import { windowLabel } from './window-label.ts'

const advices = { onPace: '节奏正好', hurry: '重置前用掉', slow: '放慢使用' }

export const scoreReasons: Catalogue['scoreReasons'] = {
  pace: ({ windowId, left, timeLeft, advice }) => {
    const share = spaced`${windowLabel(windowId)}配额剩 ${left}`
    return advice === null ? share : `${share}，时间剩 ${timeLeft}：${advices[advice]}`
  },
  otherWindow: ({ windowId, left }) => spaced`仅知其${windowLabel(windowId)}配额：剩余 ${left}`,
  unread: '尚未读到其配额',
  notReported: '其配额未报告',
  onlyScoped: '仅知其部分模型的配额',
  unclear: '最近一次读数未说明还剩多少',
  noMainWindow: '最近一次读数中没有 5 小时窗口和每周窗口',
  untracked: ({ plan, share }) => `；按 ${share} 计，因为 ${planName(plan)} 不是计入容量的套餐`,
  health: ({ status, soundsGood, isOld, failedShare }) => {
    const doubts = [
      ...(isOld ? ['读数较旧'] : []),
      ...(failedShare === null ? [] : [`近期请求有 ${failedShare} 失败`]),
    ]
    if (doubts.length === 0) return status
    return `${status}，${soundsGood ? '但' : '且'}${doubts.join('，')}`
  },
  usualPlan: (plan) => spaced`尚未查询套餐；与池中多数账号一样按 ${planName(plan)} 计`,
  plan: ({ plan, units, unit }) =>
    `${planName(plan)}：${unit === 'accounts' ? '每个账号权重相同' : `${countText(units)} ${unitNames[unit]} 单位`}`,
  notStarted: (windowId) => spaced`${windowLabel(windowId)}窗口尚未开始；下一个请求会使其开始`,
  reclaim: ({ share, duration }) => spaced`其 5 小时配额的 ${share} 将在 ${duration}后作废`,
}
