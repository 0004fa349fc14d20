import type { SkippedEntry } from '@svc/core'
import type { BenchmarkSummary, PausedProvider, SourceId } from '@svc/core/service'
import { countText, type Zone } from '../../format/format.ts'
import { spaced } from '../../format/spaced.ts'
import type { Catalogue } from '../en/catalogue.ts'
import type { SourceNames } from '../names/names.ts'

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
      note: '在代理的配置中设置 usage-statistics-enabled: true（config-version: 8 的配置中为 observability.usage.usage-statistics-enabled）。',
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
  usageWays: {
    legacy: '读取用量树。',
    http: '通过 HTTP 读取用量队列。',
    lpop: '通过常驻连接读取用量队列。',
    subscribe: '用量通过订阅到达。',
    shared: '用量通过订阅到达：似乎另有程序订阅，两者都得到全部记录。',
  },
  failures: ({ count, lastGood }) =>
    spaced`连续失败 ${countText(count)} 次，${lastGood === null ? '尚未成功过' : spaced`最近一次成功在 ${lastGood}`}。`,
}

const PROXY = {
  name: '代理',
  reachable: '检查代理是否在运行，以及 upstream_url 是否正确。',
  calmer: '若持续如此，请调大 refresh_seconds。',
} as const

export const sourceRows: Readonly<Record<SourceId, SourceNames>> = {
  gateway: {
    title: '网关',
    peer: {
      ...PROXY,
      reachable:
        '检查代理是否在运行，以及 upstream_url 是否正确；若设置了 gateway_health_url，也请检查。',
    },
  },
  accounts: { title: '账号列表', peer: PROXY },
  direct_quota: {
    title: '直接配额查询',
    peer: {
      name: '厂商',
      reachable: '检查代理能否访问厂商。',
      calmer: '若持续如此，请调小 quota_probes_per_minute。',
    },
  },
  usage_statistics: { title: '用量统计', peer: PROXY },
  usage: { title: '用量记录', peer: PROXY, verb: '已读取' },
  history: { title: '历史存储', peer: { ...PROXY, name: '历史存储' }, verb: '已写入' },
  client_labels: {
    title: '客户端标签',
    peer: filePeer('客户端标签', 'client_labels_file'),
    verb: '已读取',
  },
  benchmark: {
    title: '基准测试摘要',
    peer: filePeer('基准测试摘要', 'benchmark_summary'),
    verb: '已读取',
  },
}

function filePeer(name: string, addressKey: string): SourceNames['peer'] {
  const advice = `检查 ${addressKey} 指定的文件。`
  return { name, reachable: advice, calmer: advice }
}

export function benchmarkText(
  { generatedAt, speedup, tokenOverheadRatio, weeklyToFiveHourMultiplier }: BenchmarkSummary,
  text: Zone,
): string {
  const findings = [
    speedup === null ? null : `加速中位数 ${figure(speedup)}`,
    tokenOverheadRatio === null ? null : `Token 用量为 ${figure(tokenOverheadRatio)}`,
    weeklyToFiveHourMultiplier === null
      ? null
      : `建议 weekly_to_five_hour_multiplier = ${weeklyToFiveHourMultiplier}`,
  ].filter((finding) => finding !== null)
  const run =
    generatedAt === null ? '一次没有日期的测试' : spaced`${text.dateText(generatedAt)} 的测试`
  return `${run}：${findings.length === 0 ? '没有数据' : findings.join('，')}。`
}

function figure(ratio: number): string {
  return `${Number(ratio.toPrecision(3))} ×`
}

export const schedulers: Catalogue['schedulers'] = {
  title: (version) => spaced`调度插件 ${version}`,
  states: {
    routes: { what: '按排名分配请求。' },
    waits: { what: '遵循排名，正在等待请求。' },
    unreported: { what: '读取排名。此版本不报告是否按排名分配。', remedy: '请更新插件。' },
    pauses: { what: '目前没有查询。五分钟没有请求后会暂停。' },
    silent: {
      what: '已停止查询，而仍有请求：它们按代理自己的策略分配。',
      remedy: '请查看代理日志和插件的 url。',
    },
    not_following: {
      what: '有查询，但无法使用回答：请求按代理自己的策略分配。',
      remedy: '原因见代理日志。',
    },
    not_consulted: {
      what: '遵循排名，但代理分配请求时没有询问它：另有调度插件排在前面。',
      remedy: '请提高此插件的 priority，或关闭另一个插件。',
    },
    picks_nothing: {
      what: '把所有请求都留给代理：账号全部不可用，或此服务没有监控该代理的账号。',
      remedy: '请查看账号列表以及插件的 url 和 upstream。',
    },
    refused_host: {
      what: '查询被拒绝：其 url 中的主机名不在允许之列。',
      remedy: '请用 --allowed-host 加上该主机名启动服务。',
    },
    refused_upstream: {
      what: '查询被拒绝：其 upstream 设置指定的代理不在监控之列。',
      remedy: '请把 upstream 设为此服务配置中的名称，或去掉它。',
    },
  },
}
