import { percentText } from '@svc/views/format'
import type { PoolWindow } from '../state/live-data.ts'
import { elapsedSeconds } from '../state/live-data.ts'
import { strings } from '../words/strings.ts'
import { durationText, shortDurationText } from '../words/times.ts'
import { WindowBar } from './bars.tsx'

/** How much of a window is left: `74%`, `?`, `none`. */
export function leftText({ state, percent }: Pick<PoolWindow, 'state' | 'percent'>): string {
  if (state === 'absent') return strings.none
  if (state === 'unknown') return strings.question
  return percentText(percent ?? 0)
}

/** No request has started its time yet; a reset that is not proven comes first. */
export const isWaitingForUse = ({ notStarted = false, rolledOver = false }: PoolWindow): boolean =>
  notStarted && !rolledOver

/** How often readings are planned, as in `due every 6h`. */
export const dueText = (seconds: number): string =>
  strings.dueEvery(durationText(seconds).replace(' 00min', ''))

/** When more comes: `49min`, `reset?`, `no time`, `waits for the week`, `starts with first use`. */
export function returnText(window: PoolWindow, heldByWeek: boolean): string {
  const { state, resetsInSeconds, rolledOver = false } = window
  if (heldByWeek) return strings.waitsForWeek
  if (isWaitingForUse(window)) return strings.notStarted
  if (resetsInSeconds !== null)
    return shortDurationText(Math.max(0, resetsInSeconds - elapsedSeconds.value))
  if (state === 'exhausted') return strings.noTime
  return rolledOver ? strings.resetUnproven : ''
}

/** A window in a row: its name on a phone, what is left, the bar, when it resets. */
export function WindowCell({
  window,
  heldByWeek = false,
  isUncounted = false,
}: {
  readonly window: PoolWindow
  readonly heldByWeek?: boolean
  /** Of a length that the pool does not count. */
  readonly isUncounted?: boolean
}) {
  const label = strings.shortWindows[window.id] ?? window.id
  const title = isUncounted ? strings.onlyUncounted(strings.windowTitles[window.id]) : undefined
  const classes = [
    'window',
    ...(window.state === 'exhausted' ? ['exhausted'] : []),
    // Words instead of a time take two lines.
    ...(heldByWeek || isWaitingForUse(window) ? ['worded'] : []),
    ...(isUncounted ? ['uncounted'] : []),
  ]
  return (
    <div class={classes.join(' ')} title={title}>
      <span class="window-name">{label}</span>
      <span class="window-left">
        {leftText(window)}
        {window.state === 'unknown' && <span class="sr">{` ${strings.noReading}`}</span>}
        {window.stale && window.state === 'known' && (
          <span class="sr">{` ${strings.legend.stale}`}</span>
        )}
        {title !== undefined && <span class="sr">{` ${title}`}</span>}
      </span>
      <WindowBar window={window} />
      <span class="window-return">{returnText(window, heldByWeek)}</span>
    </div>
  )
}
