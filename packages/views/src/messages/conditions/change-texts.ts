import type { EpochMs } from '@svc/core'
import type { ChangeDetail } from '@svc/core/service'
import type { Zone } from '../../format/format.ts'

type ChangeOf<Wanted extends ChangeDetail['code']> = Extract<
  ChangeDetail,
  { readonly code: Wanted }
>

/** How one change is worded, and whose it is where that is not an account. */
export interface ChangeTexts<Change extends ChangeDetail = ChangeDetail> {
  readonly title?: string
  badge(change: Change): string
  summary(change: Change, now: EpochMs, text: Zone): string
}

/** All of them in one language. */
export type ChangeTextsByCode = {
  readonly [Wanted in ChangeDetail['code']]: ChangeTexts<ChangeOf<Wanted>>
}

/** What is said when the readings as a whole become so. */
export type ReadingsTexts = Readonly<
  Record<ChangeOf<'source_changed'>['to'], { readonly badge: string; readonly summary: string }>
>
