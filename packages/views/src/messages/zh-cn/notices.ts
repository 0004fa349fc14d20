import type { NotifyFailure } from '@svc/core/notify'
import { countText } from '../../format/format.ts'
import { spaced } from '../../format/spaced.ts'
import type { Words } from '../conditions/conditions.ts'
import type { Catalogue } from '../en/catalogue.ts'

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

/** Reason and remedy for each failure to deliver a message, in Chinese. */
export const notifyConditions: Readonly<Record<NotifyFailure, Words>> = {
  address_unreadable: {
    summary: '保存接收方地址的文件无法使用。',
    remedy: '将地址写入 url_file 所指的文件，并使其只能由本服务读取（chmod 600）。',
  },
  bad_address: {
    summary: '文件中没有适合该类接收方的地址。',
    remedy: '从接收方复制地址，写入 url_file 所指的文件。',
  },
  unreachable: {
    summary: '无法连接接收方。',
    remedy: '检查地址，并确认本机可以连接到它。',
  },
  tls: {
    summary: '接收方的证书不受信任。',
    remedy: '更新证书，或在 NODE_EXTRA_CA_CERTS 中指定其签发机构。',
  },
  timeout: {
    summary: '接收方在 10 秒内没有响应。',
    remedy: '检查接收方是否运行，以及它与本机之间的网络。',
  },
  redirected: {
    summary: '接收方指向另一个地址，而重定向不会被跟随。',
    remedy: '将接收方所指的地址写入 url_file 所指的文件。',
  },
  refused: {
    summary: '接收方拒绝了消息。',
    remedy: '确认地址在接收方仍然有效，且所设的接收方种类正确。',
  },
  throttled: {
    summary: '接收方暂不接受更多消息。',
    remedy: '减少发送：精简 "on" 中的主题，或设置 min_tone = "bad"。',
  },
  unavailable: {
    summary: '接收方自身出错。',
    remedy: '查看接收方的日志，或询问其管理者。',
  },
}
