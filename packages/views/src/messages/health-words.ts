import type { EpochMs, HealthAction } from '@svc/core'
import type { ChangeDetail } from '@svc/core/pool'
import { ASSUMED_PROVIDER } from '@svc/core/service'
import type { ActionCondition, ActionTexts, ChangeTexts } from './conditions/conditions.ts'
import { actionConditions } from './en/health-actions.ts'
import { providerName } from './names/names.ts'
import type { Wording } from './wording.ts'

/** Puts the provider's name before a title, unless it is Codex. */
function titled(action: HealthAction, title: string): string {
  return 'provider' in action && action.provider !== ASSUMED_PROVIDER
    ? `${providerName(action.provider)} · ${title}`
    : title
}

/**
 * Words an action in the catalogue's language: the problem (`summary`, `detail`) and its remedy (`note`, one imperative sentence). A variant takes
 * precedence over the words of the code itself.
 */
export function actionWords(action: HealthAction, now: EpochMs, text: Wording) {
  const { kind, variantOf }: ActionCondition = actionConditions[action.code]
  const words: ActionTexts = text.words.actions[action.code]
  const reading = { now, text }
  const variant = words.variants?.[variantOf?.(action) ?? '']
  const own = words.titleOf?.(action) ?? null
  const detail = words.detail?.(action, reading) ?? null
  return {
    kind,
    title: titled(action, variant?.title ?? own ?? words.title),
    badge: own ?? words.badge,
    summary: variant?.summary ?? words.summary?.(action, reading) ?? '',
    ...(detail === null ? {} : { detail }),
    note: variant?.remedy ?? words.remedy,
  }
}

const kinds = {
  account_added: 'account',
  account_removed: 'account',
  account_renamed: 'account',
  plan_changed: 'plan',
  status_changed: 'status',
  window_exhausted: 'quota',
  window_reset: 'quota',
  banked_reset_spent: 'quota',
  banked_reset_lapsed: 'quota',
  // Its title is not an account's.
  banked_reset_arrived: 'source',
  vendor_reset: 'source',
  source_changed: 'source',
  gateway_changed: 'source',
  proxy_restarted: 'source',
  history_started: 'source',
  benchmark_changed: 'benchmark',
} as const satisfies Readonly<Record<ChangeDetail['code'], string>>

export function changeWords(change: ChangeDetail, now: EpochMs, text: Wording) {
  const row: ChangeTexts = text.words.changes[change.code]
  return {
    kind: kinds[change.code],
    title: 'title' in change ? change.title : (row.title ?? ''),
    badge: row.badge(change),
    summary: row.summary(change, now, text),
  }
}
