import type { SourceId } from '@svc/core/service'
import type { Peer, SourceNames } from '../names/source-names.ts'

/** One source: its names, and the members that all languages share. */
interface SourceRow extends SourceNames {
  readonly peer: Peer
  /** The setting that switches the source off; left out if that is the peer's `addressKey`. */
  readonly switchKey?: string
}

const proxy: Peer = {
  name: 'the proxy',
  addressKey: 'upstream_url',
  isFile: false,
  reachable: 'Check that the proxy runs and that upstream_url is right.',
  calmer: 'Raise refresh_seconds if this stays.',
}

export const sourceRows: Readonly<Record<SourceId, SourceRow>> = {
  gateway: {
    title: 'gateway',
    peer: {
      ...proxy,
      // The second key defaults to a value derived from the first.
      addressKey: 'upstream_url / gateway_health_url',
      reachable:
        'Check that the proxy runs and that upstream_url is right, and gateway_health_url where it is set.',
    },
  },
  accounts: { title: 'account list', peer: proxy },
  direct_quota: {
    title: 'direct quota',
    switchKey: 'quota_transport',
    peer: {
      ...proxy,
      name: 'the vendor',
      reachable: 'Check that the proxy can reach the vendor.',
      calmer: 'Lower quota_probes_per_minute if this stays.',
    },
  },
  usage_statistics: { title: 'usage statistics', peer: proxy },
  usage: { title: 'usage records', peer: proxy, verb: 'Read', switchKey: 'usage_source' },
  history: {
    title: 'history store',
    peer: { ...proxy, name: 'the history store', addressKey: 'state_db', isFile: true },
    verb: 'Written',
  },
  client_labels: {
    title: 'client labels',
    peer: filePeer('the client labels', 'client_labels_file'),
    verb: 'Read',
  },
  benchmark: {
    title: 'benchmark summary',
    peer: filePeer('the benchmark summary', 'benchmark_summary'),
    verb: 'Read',
  },
}

export function sourceName(id: SourceId): string {
  return sourceRows[id].title
}

function filePeer(name: string, addressKey: string): Peer {
  const advice = `Check the file that ${addressKey} names.`
  return { name, addressKey, isFile: true, reachable: advice, calmer: advice }
}
