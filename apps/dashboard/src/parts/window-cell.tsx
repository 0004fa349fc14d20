import { countingDurationText, percentText } from '@svc/views/format'
import type { PoolWindow } from '../state/live-data.ts'
import { elapsedSeconds } from '../state/live-data.ts'
import { strings } from '../words/strings.ts'
import { WindowBar } from './bars.tsx'

/** How much of a window is left: `74%`, `?`, `none`. */
export function leftText({ state, percent }: Pick<PoolWindow, 'state' | 'percent'>): string {
  if (state === 'absent') return strings.none
  if (state === 'unknown') return strings.question
  return percentText(percent ?? 0)
}

/** When more comes: `49min`, `reset?`, `no time`, `by week`. */
export function returnText(
  { state, resetsInSeconds, rolledOver = false }: PoolWindow,
  heldByWeek: boolean,
): string {
  if (heldByWeek) return strings.byWeek
  if (resetsInSeconds !== null)
    return countingDurationText(Math.max(0, resetsInSeconds - elapsedSeconds.value))
  if (state === 'exhausted') return strings.noTime
  return rolledOver ? strings.resetUnproven : ''
}

/** A window in a row: its name on a phone, what is left, the bar, when it resets. */
export function WindowCell({
  window,
  heldByWeek = false,
}: {
  readonly window: PoolWindow
  readonly heldByWeek?: boolean
}) {
  const label = strings.shortWindows[window.id] ?? window.id
  return (
    <div class={window.state === 'exhausted' ? 'window exhausted' : 'window'}>
      <span class="window-name">{label}</span>
      <span class="window-left">
        {leftText(window)}
        {window.state === 'unknown' && <span class="sr">{` ${strings.noReading}`}</span>}
        {window.stale && window.state === 'known' && (
          <span class="sr">{` ${strings.legend.stale}`}</span>
        )}
      </span>
      <WindowBar window={window} />
      <span class="window-return">{returnText(window, heldByWeek)}</span>
    </div>
  )
}
