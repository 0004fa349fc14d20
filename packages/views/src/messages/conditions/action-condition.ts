import type { EpochMs, HealthAction } from '@svc/core'
import type { Zone } from '../../format/format.ts'
import type { Words } from './words.ts'

export type ActionOf<Wanted extends HealthAction['code']> = Extract<
  HealthAction,
  { readonly code: Wanted }
>

/** Moment and zone in which a sentence words its times. */
interface Reading {
  readonly now: EpochMs
  readonly text: Zone
}

/** English words of one action, with the members that all languages share. */
export interface ActionCondition<Action extends HealthAction = HealthAction> {
  readonly kind: 'auth' | 'quota' | 'threshold' | 'gateway' | 'upstream' | 'history' | 'config'
  readonly title: string
  /** A more specific title for this action than the code's; null for the code's own title. */
  titleOf?(action: Action): string | null
  readonly badge: string
  readonly remedy: string
  /** Markdown that only docs/reference.md adds to the remedy. */
  readonly more?: string
  /** States the problem; left out if every variant does. */
  summary?(action: Action, reading: Reading): string
  detail?(action: Action, reading: Reading): string | null
  /** Other words for special cases, by the key returned by `variantOf` (null for none). */
  readonly variants?: Readonly<Record<string, Partial<Words> & { readonly title?: string }>>
  variantOf?(action: Action): string | null
}

/** The words of an action in one language. Members that all languages share are defined only in the English row. */
export type ActionTexts<Action extends HealthAction = HealthAction> = Omit<
  ActionCondition<Action>,
  'kind' | 'variantOf' | 'more'
>

export type ActionTextsByCode = {
  readonly [Wanted in HealthAction['code']]: ActionTexts<ActionOf<Wanted>>
}
