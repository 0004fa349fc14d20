import { theme } from '../state/display-state.ts'
import {
  browserMs,
  connection,
  health,
  isSilent,
  serverMs,
  status,
  zone,
} from '../state/live-data.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'
import { tellsOfProxy } from './answer-line.tsx'
import { TryNow } from './button.tsx'
import { ToneIcon } from './icon.tsx'
import { shown } from './text.tsx'

/** Missed list intervals after which the data counts as late, and as wrong. */
const LATE_INTERVALS = 2
const WRONG_INTERVALS = 10
/** Longest normal delay of a list: the monitor updates the texts of large pools at most this often, and the page polls every `POLL_SECONDS`. */
const WORDED_SECONDS_MAX = 15
const POLL_SECONDS = 5

export function Age() {
  const sampledAt = status.value?.recommendations.sampledAt ?? null
  if (sampledAt === null) return <p class="age">{strings.noData}</p>
  const sampledMs = Date.parse(sampledAt)
  const seconds = Math.max(0, (serverMs.value - sampledMs) / 1000)
  const everySeconds = status.value?.summary.sampleEverySeconds ?? seconds
  const onTheWay = Math.min(everySeconds, WORDED_SECONDS_MAX) + POLL_SECONDS
  const intervals = Math.max(0, seconds - onTheWay) / everySeconds
  const isWrong = isSilent.value || intervals > WRONG_INTERVALS
  const tone = isWrong ? 'bad' : intervals > LATE_INTERVALS ? 'warn' : 'good'
  const span = countingDurationText(seconds)
  const text =
    theme.value === 'eink'
      ? strings.at(zone.value.clockText(sampledMs))
      : tone === 'good'
        ? strings.ago(span)
        : strings.old(span)
  return (
    <p class={`age tone-${tone}`}>
      <ToneIcon tone={tone} />
      <span>{text}</span>
    </p>
  )
}

/** Warning about the numbers below: the monitor is silent, or its data is partial or stale. */
export function Banners() {
  const { lastAnswerMs, nextTryMs } = connection.value
  const nowMs = browserMs.value
  if (isSilent.value) {
    const inSpan = countingDurationText((nextTryMs - nowMs) / 1000)
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
  if ((now?.source !== 'partial' && now?.source !== 'stale') || tellsOfProxy()) return null
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
