import type { EpochMs, HealthAction } from '@svc/core'
import type { Zone } from '../../format/format.ts'
import type { Words } from './words.ts'

/** An action by its code. */
export type ActionOf<Wanted extends HealthAction['code']> = Extract<
  HealthAction,
  { readonly code: Wanted }
>

/** When a sentence is read, and in which zone. */
interface Reading {
  readonly now: EpochMs
  readonly text: Zone
}

/** How one action is worded. */
export interface ActionCondition<Action extends HealthAction = HealthAction> {
  readonly kind: 'auth' | 'quota' | 'threshold' | 'gateway' | 'upstream' | 'history' | 'config'
  readonly title: string
  readonly badge: string
  readonly remedy: string
  /** What docs/operating.md alone adds to the remedy; it may use Markdown. */
  readonly more?: string
  /** What is the case. Left out where each variant says it. */
  summary?(action: Action, reading: Reading): string
  detail?(action: Action, reading: Reading): string | null
  /** Cases in which other words are right, and which of them an action is; null: none. */
  readonly variants?: Readonly<Record<string, Partial<Words> & { readonly title?: string }>>
  variantOf?(action: Action): string | null
}

/** The words of an action in one language. What every language shares stands in the English row alone. */
export type ActionTexts<Action extends HealthAction = HealthAction> = Omit<
  ActionCondition<Action>,
  'kind' | 'variantOf' | 'more'
>

/** Those of all actions. */
export type ActionTextsByCode = {
  readonly [Wanted in HealthAction['code']]: ActionTexts<ActionOf<Wanted>>
}
