import { theme } from '../state/display-state.ts'
import { isSilent, serverMs, status, zone } from '../state/live-data.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'
import { ToneIcon } from './icon.tsx'

/** Missed list intervals after which the data counts as late, and as wrong. */
const LATE_INTERVALS = 2
const WRONG_INTERVALS = 10
/** Longest normal delay of a list: the monitor words large pools at most this often, and the page polls every `POLL_SECONDS`. */
const WORDED_SECONDS_MAX = 15
const POLL_SECONDS = 5

/** Age of the data, counting up. */
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
