import type { SkippedEntry } from '@svc/core'
import type { PausedProvider } from '@svc/core/service'
import { countText } from '../../format/format.ts'
import type { Catalogue } from '../en/catalogue.ts'
import { spaced } from './spaced.ts'

const skipReasons: Readonly<Record<SkippedEntry['reason'], string>> = {
  not_an_object: '不是账号，或大于 1 MB',
  no_name: '没有名称',
  bad_name: '名称不可用',
  repeated: '名称重复',
  too_many: '超过 20,000 个',
}

const refusals: Readonly<Record<PausedProvider['reason'], string>> = {
  throttled: '它拒绝了我们的查询（429）',
  blocked: '它返回了拒绝本地址的页面',
  revoked: '它已封禁一个账号',
}

export const sources: Catalogue['sources'] = {
  waiting: { badge: '等待', summary: '等待首次响应。' },
  waitingForKey: { badge: '等待', summary: '等待管理密钥。' },
  noAccounts: { badge: '等待', summary: '暂无账号。' },
  badges: { off: '关闭', good: '正常', degraded: '降级' },
  answered: ({ verb, at }) => spaced`${at} ${verb ?? '已响应'}。`,
  peerAt: (name, address) => `${name}（${address}）`,
  off: {
    noStore: {
      summary: '它需要历史，而历史未保存。',
      note: '将 state_db 设为用于保存历史的文件或数据库。',
    },
    ownStore: { summary: '历史未保存。', note: '将 state_db 设为用于保存历史的文件或数据库。' },
    noKey: { summary: '它需要管理密钥，而密钥不存在。', note: '设置 management_key_file。' },
    noFile: (key) => ({
      summary: '没有为它配置文件。',
      note: `若有这样的文件，请设置 ${key}。`,
    }),
    noStatistics: {
      summary: '代理不记录用量。',
      note: '在代理的配置中设置 usage-statistics-enabled: true。',
    },
    switchedOff: (key) => ({ summary: '已在配置中关闭。', note: `设置 ${key} 即可启用。` }),
    standby: {
      summary: '由使用同一历史的另一监控负责。',
      note: '无需处理：它停止后由本监控接手。',
    },
    askedElsewhere: {
      summary: '其账号已通过另一个代理查询。',
      note: '无需处理：各代理轮流查询。',
    },
  },
  pausedVendor: ({ vendor, until, reason }) =>
    until === null
      ? spaced`重启或重新加载之前不再查询 ${vendor}：${refusals[reason]}。`
      : spaced`${until} 之前不查询 ${vendor}：${refusals[reason]}。`,
  firstReadings: ({ vendor, readCount, toReadCount }) =>
    spaced`${vendor}：已读取 ${countText(readCount)} / ${countText(toReadCount)} 个账号。`,
  together: (sentences) => sentences.join(''),
  disk({ free, days }) {
    if (days === null) return spaced`剩余 ${free}；尚不知道可用多久。`
    if (days === Number.POSITIVE_INFINITY) return spaced`剩余 ${free}，按最近一周的速度足够。`
    const time = days < 1 ? '不到一天' : spaced`${Math.floor(days)} 天`
    return spaced`剩余 ${free}，按最近一周的速度 ${time}后写满。`
  },
  missed: (duration) => spaced`最近 24 小时内合计可能有 ${duration}的用量缺失。`,
  benchmark: (findings) => `${findings}仅供显示，不影响任何计算。`,
  accounts: {
    skipped({ count, named }) {
      const which = named.map(
        ({ position, reason }) => `第 ${position} 个（${skipReasons[reason]}）`,
      )
      return `代理列表中有 ${countText(count)} 个条目已略去：${which.join('、')}${count > named.length ? '等' : ''}`
    },
    strangePlans: (count) => `${countText(count)} 个账号的套餐不为本监控所知，不计入容量`,
    unknownNames: ({ vendor, count, names }) =>
      spaced`${vendor} 提到 ${countText(count)} 个本监控不认识的名称：${names.join('、')}${count > names.length ? '等' : ''}`,
    clockSkew: ({ duration, isAhead }) =>
      spaced`代理的时钟比本机${isAhead ? '快' : '慢'} ${duration}；其时间已校正`,
    sentences: (clauses) => clauses.map((clause) => `${clause.trim()}。`).join(''),
  },
  failures: ({ count, lastGood }) =>
    spaced`连续失败 ${countText(count)} 次，${lastGood === null ? '尚未成功过' : spaced`最近一次成功在 ${lastGood}`}。`,
}
