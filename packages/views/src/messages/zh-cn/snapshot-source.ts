import { capitalised, countText } from '../../format/format.ts'
import type { Catalogue } from '../en/catalogue.ts'
import { spaced } from './spaced.ts'

export const snapshotSource: Catalogue['snapshotSource'] = {
  live: ({ accounts, readAt }) =>
    spaced`实时：${accounts}${readAt === null ? '' : spaced`，读取于 ${readAt}`}`,
  partial: (failedSources) =>
    `部分实时：${failedSources.length === 0 ? '部分数据源' : failedSources.join('、')}失败`,
  stale: (answeredAt) =>
    answeredAt === null
      ? '账号列表已过时'
      : spaced`账号列表已过时：代理最后一次响应在 ${answeredAt}`,
  unavailable: (missing) => `尚无数据：${missing}`,
  demo: (accountCount) => `演示：${countText(accountCount)} 个示例账号`,
  missing: {
    anything: '等待首次读数',
    key: '没有管理密钥',
    keyFile: '管理密钥文件无法使用',
    keyAccepted: '代理拒绝了管理密钥',
    access: '代理拒绝来自本地址的管理请求',
    banEnd: (until) => spaced`代理封禁本地址至 ${until}`,
  },
  unwatched: ({ named, restCount }) => {
    const parts = named.map(
      ([provider, count]) => `${countText(count)} 个 ${capitalised(provider)} 账号`,
    )
    if (restCount > 0) parts.push(`${countText(restCount)} 个其他账号`)
    return `${parts.join('、')}未被监控`
  },
}
