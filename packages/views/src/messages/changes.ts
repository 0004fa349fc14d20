import type { EpochMs } from '@svc/core'
import type { ChangeDetail } from '@svc/core/pool'
import type { ChangeTexts } from './conditions/conditions.ts'
import type { Wording } from './wording.ts'

export interface ChangeWords {
  readonly kind: 'account' | 'plan' | 'status' | 'quota' | 'benchmark' | 'refresh' | 'source'
  readonly title: string
  readonly badge: string
  readonly summary: string
}

const kinds: Readonly<Record<ChangeDetail['code'], ChangeWords['kind']>> = {
  account_added: 'account',
  account_removed: 'account',
  account_renamed: 'account',
  plan_changed: 'plan',
  status_changed: 'status',
  window_exhausted: 'quota',
  window_reset: 'quota',
  // Its title is not an account's.
  vendor_reset: 'source',
  source_changed: 'source',
  gateway_changed: 'source',
  proxy_restarted: 'source',
  history_started: 'source',
  benchmark_changed: 'benchmark',
}

/** Words a change as of `now`. */
export function changeWords(change: ChangeDetail, now: EpochMs, text: Wording): ChangeWords {
  const row: ChangeTexts = text.words.changes[change.code]
  return {
    kind: kinds[change.code],
    title: 'title' in change ? change.title : (row.title ?? ''),
    badge: row.badge(change),
    summary: row.summary(change, now, text),
  }
}
