import { countText } from '../../format/format.ts'
import type { Catalogue } from '../en/catalogue.ts'
import { spaced } from './spaced.ts'

const accounts = (count: number) => `${countText(count)} 个账号`

/** Texts of the usage figures, in the order of the stats payload, in Chinese. */
export const stats: Catalogue['stats'] = {
  footnote: 'Token 数以厂商报告为准；缓存的输入计入输入，Claude 则单独计数。',
  live: {
    recent: '最近 15 分钟',
    failures: '失败率',
    failed: (count) => `${countText(count)} 次请求`,
    active: '活跃',
    accounts,
    clients: (count) => `${countText(count)} 个客户端`,
    lastRequest: '最近一次请求',
    noneSeen: '尚无',
  },
  counters: {
    ofProxy: '代理的计数器',
    ofStatistics: '代理的用量统计',
    ofHistory: '用量历史',
    requests: '请求',
    answered: (share) => `${share} 已响应`,
    tokens: 'Token',
    of: '来自',
    accounts,
    ofEveryProvider: '所有提供商',
    proxy: '代理',
    restarted: '已重启',
    restartKept: '其计数器重新开始；之前的计数已保留',
  },
  history: {
    kept: '已保存的请求',
    since: (date) => spaced`自 ${date} 起`,
    keptFor: '保留',
    days: (count) => `${countText(count)} 天`,
    noEnd: '永久',
    dailySums: '逐条保留；按天合计永久保留',
    store: '存储',
    missing: '缺失',
    notHandedOver: '代理已计数，但未交出',
    coverage: '覆盖率',
    ofMonth: '最近 30 天',
  },
  backup: {
    note: '备份含有客户端密钥：请像存储一样妥善保管。导出无需暂停；导入前请停止服务。',
    noStore: '没有可导出的存储：设置 state_db 即可保存。演示不保存数据。',
  },
  sources: {
    statistics: '代理的用量统计',
    statisticsStates: { ok: '开启', off: '关闭', pending: '尚未知', failed: '无法读取' },
    history: '历史',
    historyOff: { value: '关闭', detail: '不保存任何数据' },
    historyPending: '尚未读取',
    historyOn: (requestCount) => ({ value: '开启', detail: `${countText(requestCount)} 次请求` }),
    benchmark: '基准测试摘要',
    benchmarkRead: '已读取',
    faster: (ratio) => `速度 ${ratio} ×`,
  },
}
