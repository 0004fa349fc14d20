import { type EpochMs, planLabel } from '@svc/core'
import type { ChangeDetail } from '@svc/core/service'
import { capitalised, type Zone } from '../format/format.ts'
import { benchmarkText } from './en/benchmark-text.ts'
import { blockedText } from './en/blocked-reasons.ts'
import { windowLabel } from './en/window-label.ts'
import { statusName } from './statuses.ts'

/** One change, in words. */
export interface ChangeWords {
  readonly kind: 'account' | 'plan' | 'status' | 'quota' | 'benchmark' | 'refresh' | 'source'
  readonly title: string
  readonly badge: string
  readonly summary: string
}

type Code = ChangeDetail['code']
type ChangeOf<Wanted extends Code> = Extract<ChangeDetail, { readonly code: Wanted }>

/** How one change is worded: its kind, and whose it is where that is not an account. */
interface ChangeRow<Change extends ChangeDetail = ChangeDetail> {
  readonly kind: ChangeWords['kind']
  readonly title?: string
  badge(change: Change): string
  summary(change: Change, now: EpochMs, text: Zone): string
}

const changeRows: { readonly [Wanted in Code]: ChangeRow<ChangeOf<Wanted>> } = {
  account_added: { kind: 'account', badge: () => 'Added', summary: () => 'Joined the pool.' },
  account_removed: { kind: 'account', badge: () => 'Removed', summary: () => 'Left the pool.' },
  account_renamed: {
    kind: 'account',
    badge: () => 'Renamed',
    summary: ({ toAuthName, fromAuthName }) => `File is ${toAuthName}, was ${fromAuthName}.`,
  },
  plan_changed: {
    kind: 'plan',
    badge: ({ to }) => planLabel(to),
    summary: ({ to, from }) => `Plan is ${planLabel(to)}, was ${planLabel(from)}.`,
  },
  status_changed: {
    kind: 'status',
    badge: ({ to }) => statusName(to),
    summary: ({ to, from, until }, now, text) =>
      `Status is ${statusName(to)}; it was ${statusName(from)}.${until === null ? '' : ` Until ${text.momentText(until, now)}.`}`,
  },
  window_exhausted: {
    kind: 'quota',
    badge: () => 'Used up',
    summary: ({ windowId }) => `${blockedText(`quota_exhausted_${windowId}`)}.`,
  },
  window_reset: {
    kind: 'quota',
    badge: () => 'Came back',
    summary: ({ windowId }) => `${windowLabel(windowId)} quota came back.`,
  },
  source_changed: {
    kind: 'source',
    title: 'Readings',
    badge: ({ to }) => capitalised(to),
    summary: ({ to }) => readingsWords[to],
  },
  gateway_changed: {
    kind: 'source',
    title: 'Gateway',
    badge: ({ up }) => (up ? 'Up' : 'Down'),
    summary: ({ up }) => (up ? 'The proxy answers again.' : 'The proxy stopped answering.'),
  },
  proxy_restarted: {
    kind: 'source',
    title: 'Proxy',
    badge: () => 'Restarted',
    summary: () => 'Its counters began again; what they had is kept.',
  },
  history_started: {
    kind: 'source',
    title: 'History',
    badge: () => 'Started',
    summary: () => 'Usage is kept from here on.',
  },
  benchmark_changed: {
    kind: 'benchmark',
    title: 'Benchmark summary',
    badge: () => 'New',
    summary: ({ to, from: { generatedAt } }, _, text) =>
      `${benchmarkText(to, text)} It replaces that ${generatedAt === null ? 'without a date' : `of ${text.dateText(generatedAt)}`}.`,
  },
}

const readingsWords: Readonly<Record<ChangeOf<'source_changed'>['to'], string>> = {
  live: 'All sources answer again.',
  demo: 'The demo began.',
  partial: 'Some sources failed; other numbers are current.',
  stale: 'The account list cannot be read anew; the last one is shown.',
  unavailable: 'No account list can be read.',
}

/** What changed and how, as seen at `now`. */
export function changeWords(change: ChangeDetail, now: EpochMs, text: Zone): ChangeWords {
  const row: ChangeRow = changeRows[change.code]
  return {
    kind: row.kind,
    title: 'title' in change ? change.title : (row.title ?? ''),
    badge: row.badge(change),
    summary: row.summary(change, now, text),
  }
}
