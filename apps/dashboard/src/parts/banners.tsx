import { browserMs, connection, health, isSilent, status, zone } from '../state/live-data.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'
import { ToneIcon } from './icon.tsx'
import { shown } from './name.tsx'
import { TryNow } from './try-now.tsx'

/** Warning about the numbers below: the monitor is silent, or its data is partial or stale. */
export function Banners() {
  const { lastAnswerMs, nextTryMs } = connection.value
  const nowMs = browserMs.value
  if (isSilent.value) {
    const inSpan = countingDurationText(Math.max(0, (nextTryMs - nowMs) / 1000))
    return (
      <div class="banner bad" role="alert">
        <ToneIcon tone="bad" />
        <p>
          <b>{strings.notUpdating}</b>
          {strings.gap}
          <span aria-live="off">
            {lastAnswerMs === null
              ? strings.neverAnswered
              : strings.notUpdatingText(
                  countingDurationText((nowMs - lastAnswerMs) / 1000),
                  zone.value.clockText(lastAnswerMs),
                  inSpan,
                )}
          </span>
        </p>
        <TryNow />
      </div>
    )
  }
  const now = status.value
  if (now?.source !== 'partial' && now?.source !== 'stale') return null
  const action = health.value?.actions.find(({ code }) => code === `snapshot_${now.source}`)
  return (
    <div class="banner warn" role="status">
      <ToneIcon tone="warn" />
      {action === undefined ? (
        <p>{shown(now.sourceText)}</p>
      ) : (
        <p>
          <b>{strings.sentence(action.title)}</b>
          {strings.gap}
          {shown(action.summary)}
        </p>
      )}
      <TryNow />
    </div>
  )
}
