import type { SourceId } from '@svc/core/service'
import type { SourceNames } from '../names/source-names.ts'

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
