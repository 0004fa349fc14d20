import type { EpochMs } from '@svc/core'
import type { ChangeDetail } from '@svc/core/pool'
import type { Zone } from '../../format/format.ts'

type ChangeOf<Wanted extends ChangeDetail['code']> = Extract<
  ChangeDetail,
  { readonly code: Wanted }
>

/** Texts of one change; `title` only for changes that concern no account. */
export interface ChangeTexts<Change extends ChangeDetail = ChangeDetail> {
  readonly title?: string
  badge(change: Change): string
  summary(change: Change, now: EpochMs, text: Zone): string
}

export type ChangeTextsByCode = {
  readonly [Wanted in ChangeDetail['code']]: ChangeTexts<ChangeOf<Wanted>>
}

/** Words for each new overall state of the readings. */
export type ReadingsTexts = Readonly<
  Record<ChangeOf<'source_changed'>['to'], { readonly badge: string; readonly summary: string }>
>
