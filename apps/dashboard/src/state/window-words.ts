import { strings } from '../words/strings.ts'
import type { PoolWindow } from './live-data.ts'

/** Whether the vendor does not report this quota, in contrast to quota that was not read yet. */
export const isUnreported = ({
  state,
  reported,
}: Pick<PoolWindow, 'state' | 'reported'>): boolean => state === 'unknown' && reported === false

/** Word for a window without a share: `?`, `not reported`, `none`; null if it has one. */
export function leftWord(window: Pick<PoolWindow, 'state' | 'reported'>): string | null {
  const { state } = window
  if (state === 'absent') return strings.none
  if (isUnreported(window)) return strings.notReported
  return state === 'unknown' ? strings.question : null
}

/** Whether no request has started the window's clock. An unproven reset takes precedence. */
export const isWaitingForUse = ({ notStarted = false, rolledOver = false }: PoolWindow): boolean =>
  notStarted && !rolledOver

/** Word in place of the time to a window's reset; null to show the time. */
export function returnWord(window: PoolWindow, heldByWeek: boolean): string | null {
  const { state, resetsInSeconds, rolledOver = false } = window
  if (heldByWeek) return strings.waitsForWeek
  if (isWaitingForUse(window)) return strings.notStarted
  if (resetsInSeconds !== null) return null
  if (state === 'exhausted') return strings.noTime
  return rolledOver ? strings.resetUnproven : ''
}
