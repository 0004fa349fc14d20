import { capitalised, unitsText, wholeUnitsText } from '@svc/views/format'
import { calmMs, elapsedSeconds, type PoolWindow, zone } from '../state/live-data.ts'
import { unitText } from '../state/providers.ts'
import { isUnreported, isWaitingForUse } from '../state/window-words.ts'
import { accountWords } from '../words/account-words.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'
import { WindowBar } from './bars.tsx'
import { returnText, shareText } from './window-cell.tsx'

/** Name of a limit of another scope: `codex bengalfox, weekly` for `extra:codex_bengalfox:week`. */
export function scopedTitle(id: string): string {
  const parts = id.split(':')
  const window = parts.at(-1) ?? ''
  // The heading above already calls this limit an extra one.
  const names = parts.slice(parts[0] === 'extra' ? 1 : 0, -1)
  return strings.listOf([
    ...names.map((name) => name.replaceAll('_', ' ')),
    (strings.windowTitles[window] ?? window).toLowerCase(),
  ])
}

interface WindowDetailProps {
  readonly title: string
  readonly window: PoolWindow
  /** Units of a full window; 0 if the window is not counted. */
  readonly weight: number
  readonly unit?: Parameters<typeof unitText>[1]
  /** Instant of the reset; null or absent to use the window's own information. */
  readonly resetMs?: number | null
  /** True if the window returns nothing before the week resets. */
  readonly isHeld?: boolean
}

export function WindowDetail({
  title,
  window,
  weight,
  unit,
  resetMs = null,
  isHeld = false,
}: WindowDetailProps) {
  const { percent, resetsInSeconds, state, note } = window
  const units =
    percent !== null && weight > 0
      ? accountWords.unitsOf(
          unitsText((weight * percent) / 100),
          unitText(wholeUnitsText(weight), unit),
        )
      : ''
  const seconds =
    resetsInSeconds === null ? null : Math.max(0, resetsInSeconds - elapsedSeconds.value)
  const reset =
    seconds === null
      ? window.rolledOver
        ? accountWords.resetUnconfirmed
        : returnText(window, false)
      : isHeld || isWaitingForUse(window)
        ? capitalised(returnText(window, isHeld))
        : accountWords.resetsAt(
            zone.value.whenText(resetMs ?? calmMs.value + seconds * 1000, calmMs.value),
            countingDurationText(seconds),
          )
  return (
    <div class="window-detail">
      <p>
        <b>{title}</b>
        <span>
          {state === 'known' ? strings.percentLeft(shareText(window)) : shareText(window)}
        </span>
      </p>
      {isUnreported(window) ? (
        <p class="dim small">{accountWords.unreported}</p>
      ) : (
        <>
          <WindowBar window={window} />
          <p class="dim small">{[units, reset].filter((text) => text !== '').join(strings.gap)}</p>
        </>
      )}
      {note !== undefined && <p class="dim small">{accountWords.notes[note]}</p>}
    </div>
  )
}
