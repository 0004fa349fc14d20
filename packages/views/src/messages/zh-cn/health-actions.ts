import type { HealthAction } from '@svc/core'
import { BLOCKED_PROBE_SECONDS } from '@svc/core/account'
import { durationText } from '../../format/chinese-times.ts'
import { bytesText, percentText } from '../../format/format.ts'
import { spaced } from '../../format/spaced.ts'
import { type ActionOf, type ActionTexts, storeVariants } from '../conditions/conditions.ts'
import { sharedWord } from '../names/names.ts'
import { storeWords } from './history-failures.ts'
import { namesIn, whoIn } from './names.ts'
import { notifyConditions } from './notices.ts'
import { loginWave, poolActions } from './pool-actions.ts'
import { keyFileConditions, refusalRemedies } from './source-failures.ts'
import { sourceRows, sources } from './sources.ts'
import { statuses } from './statuses.ts'

const OWN_FILE = '使其只能由本服务读取（chmod 600）。'
const RETENTION = '在代理的配置中调大 redis-usage-queue-retention-seconds，最大 3600。'
const RETENTION_V8 =
  '在代理的配置中调大 observability.usage.redis-usage-queue-retention-seconds，最大 3600（没有 config-version: 8 的文件中为 redis-usage-queue-retention-seconds）。'
const clockWitness: Readonly<Record<ActionOf<'clock_doubted'>['reason'], string>> = {
  proxy: '代理的时钟',
  jump: '片刻之前显示的时间',
  records: '历史中最新的记录',
}

export const actions: {
  readonly [Wanted in HealthAction['code']]: ActionTexts<ActionOf<Wanted>>
} = {
  gateway_down: {
    title: '网关不可用',
    badge: '不可用',
    summary: ({ since, address }, { now, text }) =>
      spaced`${address === undefined ? '代理' : sources.peerAt('代理', address)}自 ${text.momentText(since, now)} 起未响应健康检查。`,
    remedy: '启动代理，或改正 upstream_url；若设置了 gateway_health_url，则改正它。',
  },
  management_key_missing: {
    title: '没有管理密钥',
    badge: '无密钥',
    summary: () => '没有它就无法读取账号和配额。',
    remedy: '将 management_key_file 设为保存代理管理密钥的文件。',
  },
  management_key_unreadable: {
    title: '管理密钥文件无法使用',
    badge: '密钥文件',
    remedy: '在“健康”页查看该文件的问题。',
    detail: () => '监控会持续重试，无需重启。',
    variants: keyFileConditions,
  },
  management_key_refused: {
    title: '管理密钥被拒绝',
    badge: '被拒绝',
    summary: ({ at, failure }, { now, text }) =>
      spaced`代理于 ${text.whenText(at, now)} 拒绝了${failure === 'forbidden' ? '来自本地址的管理请求' : '管理密钥'}。`,
    detail: ({ nextAttemptAt }, { now, text }) =>
      spaced`下次尝试在 ${text.whenText(nextAttemptAt, now)}，密钥更改后会立即尝试；尝试过多会使代理封禁本机。`,
    remedy: refusalRemedies.unauthorized,
    variants: {
      forbidden: { title: '管理访问被拒绝', remedy: refusalRemedies.forbidden },
    },
  },
  management_banned: {
    title: '被代理封禁',
    badge: '封禁',
    summary: ({ until }, { now, text }) =>
      spaced`错误密钥过多，代理封禁本地址至 ${text.momentText(until, now)}。`,
    detail: () => '在此之前监控不会发出请求。',
    remedy: refusalRemedies.banned,
  },
  key_file_readable_by_others: {
    title: '密钥文件对他人可读',
    badge: '密钥文件',
    summary: () => '本机的其他用户可以读取管理密钥文件。',
    remedy: OWN_FILE,
  },
  labels_file_readable_by_others: {
    title: '标签文件对他人可读',
    badge: '标签',
    summary: () => '本机的其他用户可以读取含有客户端密钥的客户端标签文件。',
    remedy: OWN_FILE,
  },
  password_file_readable_by_others: {
    title: '密码文件对他人可读',
    badge: '密码文件',
    summary: () => '本机的其他用户可以读取含有历史数据库密码的文件。',
    remedy: OWN_FILE,
  },
  auth_files_readable_by_others: {
    title: '认证文件对他人可读',
    badge: '认证文件',
    summary: () => '本机的其他用户可以读取 auth_dir 中含有账号令牌的文件。',
    remedy: '使目录对他人不可访问（chmod 700），或使文件对他人不可读（chmod 600）。',
  },
  clock_doubted: {
    title: '时钟不可信',
    badge: '时钟',
    summary: ({ reason, aheadSeconds }) =>
      spaced`本机时钟比${clockWitness[reason]}${aheadSeconds > 0 ? '快' : '慢'} ${durationText(Math.abs(aheadSeconds))}。`,
    detail: ({ reason }) =>
      `在时钟一致之前，不从代理取出用量，也不删除历史。${reason === 'proxy' ? '' : '时钟均匀走动五分钟后会重新被信任。'}`,
    remedy: '校准本机或代理的时钟，并用 NTP 保持同步。',
  },
  snapshot_partial: {
    title: '部分数据源失败',
    badge: '部分',
    summary: ({ failedSources, failedAt = [], unread = [], old = [], othersCurrent }) =>
      [
        `${failedAt.length === 0 ? '' : `${failedAt.join('、')} 的`}${failedSources.map((id) => sourceRows[id].title).join('、')}失败。`,
        unread.length === 0 ? '' : `${unread.join('、')} 的账号未计入。`,
        old.length === 0 ? '' : `${old.join('、')} 的账号按上次读取的列表计入。`,
        othersCurrent ? '其余数字为最新。' : '',
      ].join(''),
    remedy: '查看失败的数据源，了解如何处理。',
  },
  snapshot_stale: {
    title: '账号列表已过时',
    badge: '过时',
    summary: ({ sampledAt }, { now, text }) =>
      spaced`账号列表最后一次读取在 ${text.whenText(sampledAt, now)}；仍显示该列表。`,
    remedy: '在数据源中查看账号列表，了解如何处理。',
  },
  snapshot_unavailable: {
    title: '尚无数据',
    badge: '无数据',
    summary: () => '至今没有读到账号列表。',
    remedy: '查看数据源，了解缺少什么。',
  },
  auth_invalid: {
    title: statuses.names.auth_invalid,
    badge: statuses.names.auth_invalid,
    summary: (action) => `${whoIn(action)}：登录不再被接受。`,
    detail: namesIn,
    remedy: '在代理上重新登录。',
  },
  deactivated: {
    title: statuses.names.deactivated,
    badge: statuses.names.deactivated,
    summary: (action) => `${whoIn(action)}：套餐或工作区已终止。`,
    detail: namesIn,
    remedy: '续订套餐，或从代理上移除该账号。',
  },
  login_wave: loginWave,
  account_unavailable: {
    title: statuses.names.unavailable,
    badge: statuses.names.unavailable,
    summary: (action) => `${whoIn(action)}：代理报告为不可用。`,
    detail: namesIn,
    remedy: '查看代理的日志。',
  },
  quota_hit: {
    title: statuses.names.quota_hit,
    titleOf: ({ accounts }) => sharedWord(accounts, statuses),
    badge: statuses.names.quota_hit,
    summary: (action) => `${whoIn(action)}：重置时间未知。`,
    detail: namesIn,
    remedy: `在厂商处查看该账号；每 ${BLOCKED_PROBE_SECONDS / 60} 分钟会再次查询其配额。`,
  },
  quota_query_refused: {
    title: '配额查询被拒绝',
    badge: '被拒绝',
    summary: (action) =>
      `${whoIn(action)}：厂商拒绝告知配额（状态码 ${[...new Set(action.accounts.map(({ httpStatus }) => httpStatus))].join('、')}）。`,
    detail: namesIn,
    remedy: '在厂商处查看该账号；若已不可用，在代理上重新登录，或从代理上移除该账号。',
  },
  ...poolActions,
  direct_quota_degraded: {
    title: '直接配额查询降级',
    badge: '降级',
    summary: ({ recentFailed, recentCount }) =>
      `最近 ${recentCount} 次直接配额查询中有 ${recentFailed} 次失败。`,
    remedy: '检查代理能否访问厂商。',
  },
  history_failing: {
    title: '历史未写入',
    badge: '存储',
    remedy: '在“健康”页查看原因，或运行 doctor 检查存储。',
    detail: ({ since }, { now, text }) =>
      spaced`自 ${text.momentText(since, now)} 起。已暂停读取代理的队列；监控会持续重试。`,
    variants: storeVariants(storeWords),
  },
  history_unreadable: {
    title: '历史未读取',
    badge: '存储',
    summary: () => '读取存储失败，原因未知。',
    remedy: '运行 doctor 检查存储；若无发现，请重启服务。',
    detail: ({ since }, { now, text }) =>
      spaced`自 ${text.momentText(since, now)} 起。用量照常存储。图表和合计缺失，或早于该时间。`,
    variants: storeVariants(storeWords),
  },
  history_wal_large: {
    title: '历史的 WAL 文件在增长',
    badge: '存储',
    summary: ({ walBytes }) => `已达 ${bytesText(walBytes)}，因为其他程序一直在读取该存储。`,
    remedy: '关闭占用历史数据库的程序。',
  },
  history_disk_filling: {
    title: '历史所在磁盘将满',
    badge: '磁盘',
    summary: ({ freeBytes, days }) => sources.disk({ free: bytesText(freeBytes), days }),
    remedy: '在 state_db 所在磁盘上腾出空间，或调低 usage_retention_days。',
  },
  history_backlog: {
    title: '旧历史删除缓慢',
    badge: '积压',
    summary: ({ backlogSeconds }) =>
      spaced`最旧的记录比 usage_retention_days 的保留期限早 ${durationText(backlogSeconds)}。`,
    detail: () => '这些记录会逐步删除，以免新的用量等待。',
    remedy: '等待；若持续如此，请为存储提供更快的磁盘。',
  },
  history_lagging: {
    title: '图表滞后',
    badge: '滞后',
    summary: ({ lagSeconds }) => spaced`图表读取的备库落后 ${durationText(lagSeconds)}。`,
    detail: () => '用量照常存储；图表和合计会晚一些显示。',
    remedy: '排除拖慢备库的原因，或移除 state_db_replica。',
  },
  prices_stale: {
    title: '价格已过时',
    badge: '价格',
    summary: ({ share }) => spaced`7 天内 ${percentText(100 * share)} 的 Token 没有价格。`,
    detail: () => '“价格”视图和 GET /api/v1/prices 列出这些模型，Token 最多的在前。',
    remedy: '获取较新的 price_file，或在 price_overrides 中为这些模型定价。',
  },
  usage_failing: {
    title: '用量未读取',
    badge: '用量',
    summary: ({ since }, { now, text }) =>
      spaced`自${text.momentText(since, now)}起没有读到用量，而代理在响应。`,
    detail: () => '此期间代理不再保留的记录计为遗漏。',
    remedy: '在数据源中查看用量记录，了解如何处理。',
  },
  usage_missed: {
    title: '用量有遗漏',
    badge: '缺口',
    summary: ({ missedSeconds }) =>
      spaced`最近 24 小时内合计可能有 ${durationText(missedSeconds)}的用量缺失。`,
    detail: () => '可能是超过代理的保留时间没有读取，或一批记录在途中丢失，或其他程序取走了记录。',
    remedy:
      '在代理的配置中调大 redis-usage-queue-retention-seconds，最大 3600（config-version: 8 的配置中为 observability.usage.redis-usage-queue-retention-seconds）。',
  },
  usage_statistics_off: {
    title: '用量统计已关闭',
    badge: '关闭',
    summary: () => '代理不记录用量，因此没有可保存的用量。',
    remedy: '在代理的配置中设置 usage-statistics-enabled: true。',
    variants: {
      v8: {
        remedy:
          '在代理的配置中设置 observability.usage.usage-statistics-enabled: true（没有 config-version: 8 的文件中为 usage-statistics-enabled）。',
      },
    },
  },
  usage_rival: {
    title: '用量被他处取走',
    badge: '共享队列',
    summary: () => '代理统计的请求数多于其用量队列交给本监控的记录数：似乎有其他程序在读取该队列。',
    detail: () =>
      '队列中的每条记录只交给一个读取者。缺失的会被计数。连续十分钟没有缺失后，此待办才会消失。只计算 Token 的请求也不会留下记录。',
    remedy:
      '让两者都订阅：此处设置 usage_source = "subscribe"，并相应设置另一工具；或只让一个程序读取用量队列。',
  },
  usage_way_lost: {
    title: '未能订阅用量',
    badge: '改为取出',
    summary: () => 'usage_source 要求订阅，但此地址的代理不支持 RESP：改为读取其队列。',
    detail: () => '如有其他程序订阅，队列中不会有任何记录。',
    remedy:
      '将 upstream_url 设为代理自身的端口，不经网关，也不带路径；或设置 usage_source = "auto"。',
  },
  subscriber_dropped: {
    title: '用量读取过慢',
    badge: '被断开',
    summary: () => '由于记录读取不够快，代理结束了订阅；用量可能有缺失。',
    detail: () => '缺口已记录，订阅已重新开始。',
    remedy: '检查历史记录所用的磁盘或数据库：写入过慢。',
  },
  usage_retention_short: {
    title: '用量保留时间过短',
    badge: '保留期',
    summary: ({ retentionSeconds, neededSeconds }) =>
      spaced`代理将未读的用量保留 ${durationText(retentionSeconds)}；少于 ${durationText(neededSeconds)}时，稍有中断就会丢失。`,
    remedy: RETENTION,
    variants: { v8: { remedy: RETENTION_V8 } },
  },
  risky_listener: {
    title: '对网络开放',
    badge: '开放',
    summary: ({ host }) => `服务监听 ${host}，读取时无需密码。`,
    remedy: '改为监听 127.0.0.1，或在前面放置带认证的反向代理。',
  },
  notify_failing: {
    title: '消息无法送达',
    badge: '消息',
    remedy: '在“健康”页查看原因，或运行 notify --test。',
    detail: ({ target, since }, { now, text }) =>
      spaced`自 ${text.momentText(since, now)} 起没有消息送达 ${target}。`,
    variants: notifyConditions,
  },
  evaluation_stalled: {
    title: '数据已停止评估',
    badge: '停滞',
    summary: ({ since }, { now, text }) =>
      spaced`所有显示均截至 ${text.momentText(since, now)}。监控会重启评估并持续重试。`,
    remedy: '若持续或再次出现，请查看日志并反馈。',
  },
}
