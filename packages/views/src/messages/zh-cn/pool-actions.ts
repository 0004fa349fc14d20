import { durationText } from '../../format/chinese-times.ts'
import { countText, percentText, unitsText, wholeUnitsText } from '../../format/format.ts'
import { spaced } from '../../format/spaced.ts'
import type { ActionOf, ActionTexts } from '../conditions/conditions.ts'
import type { poolConditions } from '../en/pool-actions.ts'
import { unitOf } from '../en/unit-name.ts'
import { causesIn, type LossCause, lapsingIn, usedUpLongestFirst } from '../names/names.ts'
import { namesIn, whoIn, windowLabel } from './names.ts'
import { unitNames } from './unit-name.ts'

const LOW = { badge: '偏低', remedy: '放慢使用，或增加账号。' } as const
const unitsLeft = ({ knownUnits, minimumUnits }: ActionOf<'five_hour_below_minimum'>): string =>
  `剩余 ${unitsText(knownUnits)} Plus，下限为 ${unitsText(minimumUnits)}。`

export const poolActions: {
  readonly [Wanted in keyof typeof poolConditions]: ActionTexts<ActionOf<Wanted>>
} = {
  nothing_routable: {
    title: '无可路由账号',
    badge: '受阻',
    summary: ({ blockedCount }) =>
      `没有账号可以接受请求：${blockedCount === 1 ? '唯一的账号' : `全部 ${blockedCount} 个账号`}受阻。`,
    detail: ({ blockedCount, nextRoutableAt }, { now, text }) => {
      if (blockedCount === 0) return null
      if (nextRoutableAt === null) return '恢复时间均未知。'
      return spaced`最早在 ${text.whenText(nextRoutableAt, now)} 恢复，还有 ${durationText((nextRoutableAt - now) / 1000)}。`
    },
    remedy: '增加账号，或等待最早恢复的账号。',
    variants: {
      empty: {
        summary: '没有账号可以接受请求：代理上没有账号。',
        remedy: '在代理上添加一个账号。',
      },
    },
  },
  five_hour_below_minimum: { ...LOW, title: '5 小时配额低于下限', summary: unitsLeft },
  weekly_below_minimum: { ...LOW, title: '每周配额低于下限', summary: unitsLeft },
  routable_below_minimum: {
    title: '可路由账号过少',
    badge: '过少',
    summary: ({ routableCount, minimumCount }) =>
      `可路由账号 ${countText(routableCount)} 个，下限为 ${minimumCount} 个。`,
    remedy: '让受阻的账号恢复，或增加账号。',
  },
  runway_short: {
    ...LOW,
    title: '配额即将耗尽',
    summary: ({ windowId, runsDryAt, returnsAgainAt }, { now, text }) => {
      const runsOut = spaced`${windowLabel(windowId)}配额将在 ${text.whenText(runsDryAt, now)} 耗尽`
      return returnsAgainAt === null
        ? `${runsOut}，且没有已知的重置会恢复配额。`
        : spaced`${runsOut}，${durationText((returnsAgainAt - runsDryAt) / 1000)}后才有配额恢复。`
    },
    detail: ({ returnsBefore, provider }, { now, text }) =>
      returnsBefore === null
        ? '按预期消耗估算。在此之前没有配额恢复。'
        : spaced`按预期消耗估算，已计入此前恢复的 ${unitsText(returnsBefore.units)} ${unitNames[unitOf(provider)]}，最早在 ${text.whenText(returnsBefore.firstAt, now)}。`,
  },
  capacity_low: {
    ...LOW,
    title: '配额所剩不多',
    summary: ({ windowId, knownUnits, trackedUnits, provider }) =>
      spaced`${windowLabel(windowId)}配额：剩余 ${unitsText(knownUnits)} / ${wholeUnitsText(trackedUnits)} ${unitNames[unitOf(provider)]}。`,
  },
  failing_account: {
    title: '请求失败',
    badge: '失败',
    summary: (action) =>
      `${whoIn(action)}：最近一小时的 ${countText(action.requestCount)} 次请求中有 ${percentText((action.failedCount / action.requestCount) * 100)} 失败。`,
    detail: namesIn,
    remedy: '在代理的日志中查看厂商的答复，或停用该账号。',
  },
  subscription_ends: {
    title: '订阅即将到期',
    badge: '到期',
    summary: (action, { now, text }) => {
      const { until } = action.accounts[0] ?? { until: now }
      const when = spaced`${text.whenText(until, now)} 到期，还有 ${durationText((until - now) / 1000)}。`
      return action.accounts.length === 1
        ? spaced`${whoIn(action)}：订阅将于 ${when}`
        : spaced`${whoIn(action)}：订阅即将到期，最早的于 ${when}`
    },
    detail: ({ accounts }, { now }) => {
      const seenAt = accounts[0]?.seenAt ?? null
      const age =
        seenAt === null ? '时间未知' : spaced`写于 ${durationText((now - seenAt) / 1000)}前`
      return `以最近一次登录信息为准（${age}）；此后的续订不会显示。`
    },
    remedy: '续订，或按到期后没有该账号来安排。',
  },
  banked_reset_lapses: {
    title: '备用重置即将作废',
    badge: '作废',
    summary: (action, { now, text }) => {
      const { until, count } = lapsingIn(action, now)
      const when = spaced`${text.whenText(until, now)} 作废，还有 ${durationText((until - now) / 1000)}。`
      return count === 1
        ? spaced`${whoIn(action)}：一次备用重置将于 ${when}`
        : spaced`${whoIn(action)}：${count} 次备用重置即将作废，最早的于 ${when}`
    },
    detail: (action, { now, text }) => {
      const accounts = usedUpLongestFirst(action)
      const names = namesIn(action)
      const [first] = accounts
      if (first === undefined) return names
      if (names === null) return spaced`其周配额已用尽，至 ${text.momentText(first.until, now)}。`
      return `周配额已用尽、最值得先用的：${namesIn({ accounts }) ?? first.title}。`
    },
    remedy: '在作废前于 Codex 中使用；周配额已用尽的账号收益最大。',
  },
}

const causes: Readonly<Record<LossCause, string>> = {
  expired: '已过期',
  invalidated: '被厂商终止',
  refresh_refused: '刷新被拒绝',
  deactivated: '套餐或工作区已终止',
  refused: '被拒绝且原因未知',
}

/** Words of an action about accounts that lost their logins at the same time, in Chinese. */
export const loginWave: ActionTexts<ActionOf<'login_wave'>> = {
  title: '多个登录同时失效',
  badge: '成批',
  summary: (action, { now, text }) => {
    const [first, last] = [action.accounts[0], action.accounts.at(-1)].map((account) =>
      text.momentText(account?.lostAt ?? now, now),
    )
    const when = first === last ? `在 ${first} ` : spaced`在 ${first ?? ''} 至 ${last ?? ''} 之间`
    const split = [...causesIn(action)].map(([cause, count]) => `${count} 个${causes[cause]}`)
    return `${action.accounts.length} 个账号${when}失去登录：${split.join('，')}。`
  },
  detail: namesIn,
  remedy: '续订或移除套餐或工作区已终止的账号，其余账号在代理上重新登录。',
  variants: {
    expired: { remedy: '在代理上重新登录，并让代理保持运行，由它刷新登录。' },
    invalidated: { remedy: '查明终止的原因，例如更改密码或退出所有设备，然后在代理上重新登录。' },
    refresh_refused: {
      remedy: '不要让其他程序刷新同一登录，因为每次刷新只能用一次；然后在代理上重新登录。',
    },
    deactivated: { remedy: '续订套餐或工作区，或从代理上移除这些账号。' },
    refused: { remedy: '先用一个账号在代理上重新登录；若仍被拒绝，在厂商处查看。' },
  },
}
