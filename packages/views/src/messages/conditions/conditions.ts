import type { EpochMs, HealthAction } from '@svc/core'
import type { ChangeDetail } from '@svc/core/pool'
import type { EngineName, HistoryFailureCode } from '@svc/core/service'
import type { Zone } from '../../format/format.ts'

/** Words for a failure: `summary` states the problem, `remedy` is one imperative sentence. */
export interface Words {
  readonly summary: string
  readonly remedy: string
}

/** A sentence as a clause: without its initial capital and full stop. */
export function clauseOf(sentence: string): string {
  return sentence
    .replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
    .replace(/[.。]$/, '')
}

/** First clause of a sentence, up to its first semicolon. */
export function firstClauseOf(sentence: string): string {
  return clauseOf(sentence).split(/[;；]/, 1)[0] ?? ''
}

export type ActionOf<Wanted extends HealthAction['code']> = Extract<
  HealthAction,
  { readonly code: Wanted }
>

/** Time and zone for the times in a sentence. */
interface Reading {
  readonly now: EpochMs
  readonly text: Zone
}

/** English words of one action, plus the members shared by all languages. */
export interface ActionCondition<Action extends HealthAction = HealthAction> {
  readonly kind: 'auth' | 'quota' | 'threshold' | 'gateway' | 'upstream' | 'history' | 'config'
  readonly title: string
  /** A title more specific than that of the code; null for the title of the code. */
  titleOf?(action: Action): string | null
  readonly badge: string
  readonly remedy: string
  /** Markdown that docs/reference.md adds to the remedy. */
  readonly more?: string
  /** States the problem; omitted if every variant has its own. */
  summary?(action: Action, reading: Reading): string
  detail?(action: Action, reading: Reading): string | null
  /** Other words for special cases, by the result of `variantOf`, which is null for the normal case. */
  readonly variants?: Readonly<Record<string, Partial<Words> & { readonly title?: string }>>
  variantOf?(action: Action): string | null
}

/** The words of an action in one language. Members shared by all languages are defined only in the English row. */
export type ActionTexts<Action extends HealthAction = HealthAction> = Omit<
  ActionCondition<Action>,
  'kind' | 'variantOf' | 'more'
>

export type ActionTextsByCode = {
  readonly [Wanted in HealthAction['code']]: ActionTexts<ActionOf<Wanted>>
}

type ChangeOf<Wanted extends ChangeDetail['code']> = Extract<
  ChangeDetail,
  { readonly code: Wanted }
>

/** Texts of one change; `title` is set only for changes that concern no account. */
export interface ChangeTexts<Change extends ChangeDetail = ChangeDetail> {
  readonly title?: string
  badge(change: Change): string
  summary(change: Change, now: EpochMs, text: Zone): string
}

export type ChangeTextsByCode = {
  readonly [Wanted in ChangeDetail['code']]: ChangeTexts<ChangeOf<Wanted>>
}

/** Words for each new state of all readings together. */
export type ReadingsTexts = Readonly<
  Record<ChangeOf<'source_changed'>['to'], { readonly badge: string; readonly summary: string }>
>

/** Words for each failure of the store. `database` replaces words that mention a file. */
export interface StoreWords {
  readonly file: Readonly<Record<HistoryFailureCode, Words>>
  readonly database: Readonly<Partial<Record<HistoryFailureCode, Words>>>
}

/** Words for a failure of a store with this engine. */
export function storeCondition(
  { file, database }: StoreWords,
  code: HistoryFailureCode,
  engine: EngineName,
): Words {
  return (engine === 'postgres' ? database[code] : undefined) ?? file[code]
}

/** Words of a store failure as variants of an action, keyed by the results of `storeVariant`. */
export function storeVariants({ file, database }: StoreWords): Readonly<Record<string, Words>> {
  const ofDatabase = Object.entries(database).map(([code, words]) => [ofDatabaseBy(code), words])
  return { ...file, ...Object.fromEntries(ofDatabase) }
}

/** Variant of a store failure; null if the reason is unknown. */
export function storeVariant(
  { database }: StoreWords,
  reason: HistoryFailureCode | null,
  engine: EngineName,
): string | null {
  const isOfDatabase = reason !== null && engine === 'postgres' && database[reason] !== undefined
  return isOfDatabase ? ofDatabaseBy(reason) : reason
}

function ofDatabaseBy(code: string): string {
  return `${code} of a database`
}
