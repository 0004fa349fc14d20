import { countText } from '../../format/format.ts'
import { spaced } from '../../format/spaced.ts'
import type { Catalogue } from '../en/catalogue.ts'
import type { UnservedModels } from '../en/statuses.ts'
import { isAmount } from '../names/names.ts'
import { planName, windowLabel } from './names.ts'
import { unitNames } from './unit-name.ts'

const unservedText = (unserved: readonly UnservedModels[]): string =>
  unserved
    .map(({ models, until }) => (until === null ? models : spaced`${models}（至 ${until}）`))
    .join('；')

export const statuses: Catalogue['statuses'] = {
  names: {
    active: '正常',
    disabled: '已停用',
    auth_invalid: '认证失效',
    deactivated: '已停权',
    unavailable: '不可用',
    reset_scheduled: '配额已用尽',
    quota_hit: '配额已用尽',
    retry_after: '暂缓使用',
    cooldown: '冷却',
    ready_unproven: '可用，未验证',
    degraded: '降级',
    pending: '待定',
    refreshing: '刷新中',
    unknown_status: '未知状态',
    message: '正常，有消息',
  },
  usedUp: (id) => spaced`${windowLabel(id)}${isAmount(id) ? '触顶' : '配额已用尽'}`,
  advice: {
    active: '可用。',
    readyBut: (unserved) => spaced`可用，但不能用于 ${unservedText(unserved)}。`,
    disabled: (remedy) => `有意停用。${remedy ?? ''}`,
    someReset: '无需处理。重置后恢复。',
    reset: ({ windowId, when, duration }) =>
      spaced`无需处理。${windowId === null ? '其上限' : `${windowLabel(windowId)}配额`}将在 ${when} 重置（${duration}后），届时恢复。`,
    heldBack: (until) =>
      until === null ? '无需处理。代理暂缓使用它。' : spaced`无需处理。代理暂缓使用它至 ${until}。`,
    cooldown: '无需处理。收到配额提示，但未给出重置时间；监控会再次检查。',
    resting: (until) => spaced`无需处理。请求被拒绝，未给出时间；暂停使用至 ${until}。`,
    readyUnproven: '可用：冷却已结束，但此后尚无成功的请求。',
    degraded: '可用，但它的某个模型在代理上失败。',
    degradedBut: (unserved) => spaced`可用，但不能用于 ${unservedText(unserved)}。`,
    unproven: '可用，尚未验证。',
    unknownStatus: '可用，但代理给出了本监控不认识的状态。',
    message: '可用。代理对它显示了一条消息；请查看代理的日志。',
  },
}

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
