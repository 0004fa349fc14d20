import { spaced } from '@svc/views/format/zh-cn'
import type * as english from '../health-words.ts'

/** Texts of Health: its link to the proxy, its thirty days, and the ways to be told of trouble, in simplified Chinese. */
export const healthWords: typeof english.healthWords = {
  proxyPage: (name) => (name === '' ? '打开代理的页面' : spaced`打开${name}的页面`),
  days: '账号池最近三十天',
  daysAbout: '每刻钟一格，取所记录的最差状态。',
  heads: ['日期', '经过', '不正常的时段'],
  states: {
    good: '正常',
    low: '偏低，不足 10%',
    dry: '已耗尽',
    away: '代理离线',
    unknown: '未知',
  },
  happened: {
    good: '正常',
    low: '偏低',
    dry: '耗尽',
    away: '代理离线',
    unknown: '未知',
  },
  between: (what, from, to) => spaced`${what} ${from}–${to}`,
  lasting: (what, span) => spaced`${what} ${span}`,
  awaySince: (moment) => spaced`自${moment}起才知道代理是否离线；更早的变化没有保留。`,
  noDays: '尚无记录。',
  noStore: '没有 `state_db` 就不作记录。',
  notRead: '现在无法读取历史记录。',
  readers: '读取排名的程序',
  askedAgo: (span) => spaced`${span}前查询`,
  routing:
    '有一个插件让代理（7.1.57 及更新版本）按此排名为每个请求选定账号，客户端无需改动。它在 `integrations/cliproxyapi-scheduler` 中；`docs/operating.md` 说明如何安装，以及任何一方离线时会怎样。以下命令打印代理配置所需的几行：',
  told: '如何得到通知？',
  messages: '消息',
  sent: (count) => `已发送 ${count} 条`,
  ways: {
    messages: {
      title: '发到手机或聊天工具的消息',
      what: '配置中的每个 `[[notify]]` 表是一个接收方：ntfy、Telegram、Discord、Slack、飞书、Bark 或 webhook。以下命令向每一个发送测试消息：',
    },
    tab: {
      title: '此标签页',
      what: '让它开着：标题以回答开头，有要做的事时随后显示 ⚠，图标的形状也会改变，即使正在看别的标签页。',
    },
    wall: {
      title: '墙上的屏幕',
      what: '以尽可能大的字显示剩余配额和需要处理的事，并让屏幕保持亮起。按 Esc 或返回结束。',
    },
    alerts: {
      title: 'Prometheus 和 Alertmanager',
      what: '适合已在使用它们的人。以下命令写出抓取配置、告警规则和发给谁的路由：',
    },
    scripts: {
      title: '脚本或定时任务',
      what: '`/api/v1/health` 的 `state` 为 `good`、`warn`、`bad` 或 `unknown`，要做的事在 `actions` 中。任一检查失败时 `doctor` 以 1 结束，否则为 0：',
    },
  },
  showWall: '在此显示',
}

/** The texts around the list of recent changes, in simplified Chinese. */
export const recentChangeWords: typeof english.recentChangeWords = {
  kindLabel: '变化的类型',
  kinds: { all: '全部', account: '账号', pool: '账号池', source: '数据源' },
  account: '变化的账号',
  anyAccount: '全部账号',
  none: '没有保留此类变化。',
  more: (count) => `再显示 ${count} 项`,
  fewer: '收起',
  ofAccount: (count) => `${count} 项最近变化`,
}
