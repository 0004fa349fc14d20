import type { EpochMs, HealthAction } from '@svc/core'
import { ASSUMED_PROVIDER } from '@svc/core/service'
import type { ActionCondition, ActionTexts } from './conditions/conditions.ts'
import { actionConditions } from './en/health-actions.ts'
import { providerName } from './names/names.ts'
import type { Wording } from './wording.ts'

/** One action in words: the problem (`summary`, `detail`) and its remedy (`note`, one imperative sentence). */
export interface ActionWords {
  readonly kind: ActionCondition['kind']
  readonly title: string
  readonly badge: string
  readonly summary: string
  readonly detail?: string
  readonly note: string
}

/** Names the provider in front of a title, unless it is Codex. */
function titled(action: HealthAction, title: string): string {
  return 'provider' in action && action.provider !== ASSUMED_PROVIDER
    ? `${providerName(action.provider)} · ${title}`
    : title
}

/** Words an action in the catalogue's language. A variant takes precedence over the words of the code itself. */
export function actionWords(action: HealthAction, now: EpochMs, text: Wording): ActionWords {
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
