import { countText } from '../../format/format.ts'
import type { Catalogue } from '../en/catalogue.ts'
import { spaced } from './spaced.ts'

/** Texts of outgoing messages and of their delivery, in Chinese. */
export const notices: Catalogue['notices'] = {
  heading: (firing, resolved) => {
    const parts = [
      ...(firing > 0 ? [`${countText(firing)} 个问题`] : []),
      ...(resolved > 0 ? [`${countText(resolved)} 个已结束`] : []),
    ]
    return `svc-quota-monitor：${parts.length === 0 ? '新消息' : parts.join('，')}`
  },
  resolved: '已结束',
  times: (count) => `自上条消息起 ${countText(count)} 次`,
  omitted: (count) => `另有 ${countText(count)} 项，因过多未逐条发送。`,
  test: '这是一条测试消息：svc-quota-monitor 的消息会发到这里。',
  accountsOf: ({ count, plan }) => spaced`${countText(count)} 个 ${plan} 账号`,
  listOf: (parts) => parts.join('、'),
  sentences: (parts) => parts.join(''),
  someAddress: '其他机器可访问的地址',
  nothingSent: '尚未发送过消息。',
  lastSent: (when) => spaced`最后一次发送在 ${when}。`,
  failsSince: (moment) => spaced`自 ${moment} 起失败。`,
  waiting: (count) => `${countText(count)} 条消息等待再次发送。`,
  lost: (count) => `${countText(count)} 条已放弃。`,
}
