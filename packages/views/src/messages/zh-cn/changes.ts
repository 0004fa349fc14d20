import { unitsText } from '../../format/format.ts'
import { spaced } from '../../format/spaced.ts'
import type { ChangeTextsByCode, ReadingsTexts } from '../conditions/conditions.ts'
import { unitOf } from '../en/unit-name.ts'
import { stateWord } from '../names/names.ts'
import { planName, windowLabel } from './names.ts'
import { benchmarkText } from './sources.ts'
import { statuses } from './statuses.ts'
import { unitNames } from './unit-name.ts'

const { usedUp } = statuses

const readings: ReadingsTexts = {
  live: { badge: '实时', summary: '全部数据源已恢复响应。' },
  demo: { badge: '演示', summary: '演示已开始。' },
  partial: { badge: '部分', summary: '部分数据源失败。' },
  stale: { badge: '过时', summary: '账号列表无法重新读取；仍显示上一次的列表。' },
  unavailable: { badge: '不可用', summary: '无法读取账号列表。' },
}

export const changes: ChangeTextsByCode = {
  account_added: { badge: () => '新增', summary: () => '加入账号池。' },
  account_removed: { badge: () => '移除', summary: () => '离开账号池。' },
  account_renamed: {
    badge: () => '改名',
    summary: ({ toAuthName, fromAuthName }) => `文件现为 ${toAuthName}，原为 ${fromAuthName}。`,
  },
  plan_changed: {
    badge: ({ to }) => planName(to),
    summary: ({ to, from }) => `套餐现为 ${planName(to)}，原为 ${planName(from)}。`,
  },
  status_changed: {
    badge: ({ to, toReason }) => stateWord(to, toReason, statuses),
    summary: ({ to, from, toReason, fromReason, until }, now, text) => {
      const [word, before] = [
        stateWord(to, toReason, statuses),
        stateWord(from, fromReason, statuses),
      ]
      return spaced`状态${word === before ? spaced`仍为“${word}”` : spaced`为“${word}”，原为“${before}”`}。${until === null ? '' : spaced`至 ${text.momentText(until, now)}。`}`
    },
  },
  window_exhausted: {
    badge: () => '已用尽',
    summary: ({ windowId }) => `${usedUp(windowId)}。`,
  },
  window_reset: {
    badge: () => '已恢复',
    summary: ({ windowId }) => spaced`${windowLabel(windowId)}配额已恢复。`,
  },
  vendor_reset: {
    title: '厂商',
    badge: () => '已重置',
    summary: ({ provider, windowId, accountCount, units, seenAt }, now, text) =>
      spaced`至少 ${accountCount} 个账号的${windowLabel(windowId)}配额提前恢复${units === undefined ? '' : spaced`，共 ${unitsText(units)} ${unitNames[unitOf(provider)]}`}。首次读到：${text.momentText(seenAt, now)}。`,
  },
  banked_reset_arrived: {
    title: '备用重置',
    badge: () => '到账',
    summary: ({ accountCount, count, seenAt }, now, text) =>
      spaced`${accountCount} 个账号获得 ${count} 次可用的重置。首次读到：${text.momentText(seenAt, now)}。`,
  },
  banked_reset_spent: {
    badge: () => '已用重置',
    summary: ({ count }) => spaced`已使用 ${count} 次备用重置：配额已恢复。`,
  },
  banked_reset_lapsed: {
    badge: () => '重置作废',
    summary: ({ count }) => spaced`${count} 次备用重置到期作废，未被使用。`,
  },
  source_changed: {
    title: '数据源',
    badge: ({ to }) => readings[to].badge,
    summary: ({ to }) => readings[to].summary,
  },
  gateway_changed: {
    title: '网关',
    badge: ({ up }) => (up ? '可用' : '不可用'),
    summary: ({ up }) => (up ? '代理恢复响应。' : '代理停止响应。'),
  },
  proxy_restarted: {
    title: '代理',
    badge: () => '已重启',
    summary: () => '其计数器重新开始；之前的计数已保留。',
  },
  history_started: {
    title: '历史',
    badge: () => '已开始',
    summary: () => '从此开始保存用量。',
  },
  benchmark_changed: {
    title: '基准测试摘要',
    badge: () => '新',
    summary: ({ to, from: { generatedAt } }, _, text) =>
      spaced`${benchmarkText(to, text)}它取代了${generatedAt === null ? '没有日期的那次' : spaced`${text.dateText(generatedAt)} 的那次`}。`,
  },
}
