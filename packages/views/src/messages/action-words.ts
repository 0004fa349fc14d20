import type { EpochMs, HealthAction } from '@svc/core'
import type { Zone } from '../format/format.ts'
import type { ActionCondition } from './conditions/action-condition.ts'
import { actionConditions } from './en/health-actions.ts'

/** One thing to do, in words: what is wrong (`summary`, `detail`) and what to do about it (`note`, one imperative sentence). */
export interface ActionWords {
  readonly kind: ActionCondition['kind']
  readonly title: string
  readonly badge: string
  readonly summary: string
  readonly detail?: string
  readonly note: string
}

/** What a faulty part of the setup or the pool asks of the operator. */
export function actionWords(action: HealthAction, now: EpochMs, text: Zone): ActionWords {
  const condition: ActionCondition = actionConditions[action.code]
  const reading = { now, text }
  const variant = condition.variants?.[condition.variantOf?.(action) ?? '']
  const detail = condition.detail?.(action, reading) ?? null
  return {
    kind: condition.kind,
    title: variant?.title ?? condition.title,
    badge: condition.badge,
    summary: variant?.summary ?? condition.summary?.(action, reading) ?? '',
    ...(detail === null ? {} : { detail }),
    note: variant?.remedy ?? condition.remedy,
  }
}
