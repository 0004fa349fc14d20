import { type ChangeDetail, type EpochMs, planLabel } from '@svc/core'
import { capitalised, type Zone } from '../format/format.ts'
import { benchmarkText } from './benchmark-text.ts'
import { windowLabel } from './names/window-label.ts'
import { statusName } from './statuses.ts'

/** One change, in words. */
export interface ChangeWords {
  readonly kind: 'account' | 'plan' | 'status' | 'quota' | 'benchmark' | 'refresh' | 'source'
  readonly title: string
  readonly badge: string
  readonly summary: string
}

/** What changed and how, as seen at `now`. */
export function changeWords(change: ChangeDetail, now: EpochMs, text: Zone): ChangeWords {
  switch (change.code) {
    case 'account_added':
      return { kind: 'account', title: change.title, badge: 'Added', summary: 'Joined the pool.' }
    case 'account_removed':
      return { kind: 'account', title: change.title, badge: 'Removed', summary: 'Left the pool.' }
    case 'account_renamed':
      return {
        kind: 'account',
        title: change.title,
        badge: 'Renamed',
        summary: `File is ${change.toAuthName}, was ${change.fromAuthName}.`,
      }
    case 'plan_changed':
      return {
        kind: 'plan',
        title: change.title,
        badge: planLabel(change.to),
        summary: `Plan is ${planLabel(change.to)}, was ${planLabel(change.from)}.`,
      }
    case 'status_changed': {
      const until = change.until === null ? '' : ` Until ${text.momentText(change.until, now)}.`
      return {
        kind: 'status',
        title: change.title,
        badge: statusName(change.to),
        summary: `${statusName(change.to)}, was ${statusName(change.from)}.${until}`,
      }
    }
    case 'window_exhausted':
      return {
        kind: 'quota',
        title: change.title,
        badge: 'Used up',
        summary: `${windowLabel(change.windowId)} quota is used up.`,
      }
    case 'window_reset':
      return {
        kind: 'quota',
        title: change.title,
        badge: 'Came back',
        summary: `${windowLabel(change.windowId)} quota came back.`,
      }
    case 'source_changed':
      return {
        kind: 'source',
        title: 'Data',
        badge: capitalised(change.to),
        summary: `Data is ${change.to}, was ${change.from}.`,
      }
    case 'gateway_changed':
      return {
        kind: 'source',
        title: 'Gateway',
        badge: change.up ? 'Up' : 'Down',
        summary: change.up ? 'The proxy answers again.' : 'The proxy stopped answering.',
      }
    case 'proxy_restarted':
      return {
        kind: 'source',
        title: 'Proxy',
        badge: 'Restarted',
        summary: 'Its counters began again; what they had is kept.',
      }
    case 'history_started':
      return {
        kind: 'source',
        title: 'History',
        badge: 'Started',
        summary: 'Usage is kept from here on.',
      }
    case 'benchmark_changed':
      return {
        kind: 'benchmark',
        title: 'Benchmark summary',
        badge: 'New',
        summary: `${benchmarkText(change.to, text)} It replaces that ${change.from.generatedAt === null ? 'without a date' : `of ${text.dateText(change.from.generatedAt)}`}.`,
      }
    default:
      return change satisfies never
  }
}
