import { percentText } from '@svc/views/format'
import type { ComponentChildren } from 'preact'
import type { PoolWindow } from '../state/live-data.ts'
import { elapsedSeconds } from '../state/live-data.ts'
import { isUnreported, isWaitingForUse, leftWord, returnWord } from '../state/window-words.ts'
import { strings } from '../words/strings.ts'
import { shortDurationText } from '../words/times.ts'
import { WindowBar } from './bars.tsx'
import { Changing } from './text.tsx'

/** Share left of a window: `74%`, `?`, `not reported`, `none`. */
export const shareText = (window: Pick<PoolWindow, 'state' | 'percent' | 'reported'>): string =>
  leftWord(window) ?? percentText(window.percent ?? 0)

/** Time to the reset of a window, or a word for it: `49min`, `reset?`, `no time`, `waits for the week`, `starts with first use`. */
export const returnText = (window: PoolWindow, heldByWeek: boolean): string =>
  returnWord(window, heldByWeek) ??
  shortDurationText((window.resetsInSeconds ?? 0) - elapsedSeconds.value)

/** A window in a row: on a phone its name, then the share left, the bar, and the time to its reset. */
export function WindowCell({
  window,
  heldByWeek = false,
  isUncounted = false,
  isNamed = false,
  below,
  note,
}: {
  readonly window: PoolWindow
  readonly heldByWeek?: boolean
  /** True for a length that the pool does not count. */
  readonly isUncounted?: boolean
  /** True if this is not the usual window of the column and therefore shows its name. */
  readonly isNamed?: boolean
  /** Mark below the time to the reset. */
  readonly below?: ComponentChildren
  /** Explanation of the share, if it needs one. */
  readonly note?: string | undefined
}) {
  const label = window.label ?? strings.shortWindows[window.id] ?? window.id
  const title = isUncounted
    ? (window.label ?? strings.onlyUncounted(strings.windowTitles[window.id]))
    : note
  if (isUnreported(window))
    return (
      <div class="window unreported" title={title}>
        <span class="window-name">{label}</span>
        <span class="dim">{strings.notReported}</span>
      </div>
    )
  const classes = [
    'window',
    ...(window.state === 'exhausted' ? ['exhausted'] : []),
    // Words in place of a time take two lines.
    ...(heldByWeek || isWaitingForUse(window) ? ['worded'] : []),
    ...(isUncounted || isNamed ? ['uncounted'] : []),
    ...(note === undefined ? [] : ['noted']),
  ]
  return (
    <div class={classes.join(' ')} title={title}>
      <span class="window-name">{label}</span>
      <span class="window-left">
        <Changing text={shareText(window)} />
        {window.state === 'unknown' && <span class="sr">{` ${strings.noReading}`}</span>}
        {window.stale && window.state === 'known' && (
          <span class="sr">{` ${strings.legend.stale}`}</span>
        )}
        {title !== undefined && <span class="sr">{` ${title}`}</span>}
      </span>
      <WindowBar window={window} />
      <span class="window-return">
        {returnText(window, heldByWeek)}
        {below}
      </span>
    </div>
  )
}
