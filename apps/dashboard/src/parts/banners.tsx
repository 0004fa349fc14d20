import { browserMs, connection, health, pollNow, status, zone } from '../state/live-data.ts'
import { durationText } from '../words/format.ts'
import { strings } from '../words/strings.ts'
import { ToneIcon } from './icon.tsx'

/** A single missed answer is no news. */
const SILENT_MS = 8_000

/** What is wrong with the numbers below, if anything. */
export function Banners() {
  const { failingSinceMs, lastAnswerMs, nextTryMs } = connection.value
  const now = browserMs.value
  if (failingSinceMs !== null && (lastAnswerMs === null || now - lastAnswerMs >= SILENT_MS)) {
    const inSpan = durationText(Math.max(0, (nextTryMs - now) / 1000))
    return (
      <div class="banner bad" role="alert">
        <ToneIcon tone="bad" />
        <p>
          <b>{strings.notUpdating}</b>{' '}
          <span aria-live="off">
            {lastAnswerMs === null
              ? strings.neverAnswered
              : strings.notUpdatingText(durationText((now - lastAnswerMs) / 1000), zone.value.clock(lastAnswerMs), inSpan)}
          </span>
        </p>
        <button type="button" class="button" onClick={pollNow}>
          {strings.tryNow}
        </button>
      </div>
    )
  }
  const source = status.value?.source
  if (source !== 'partial' && source !== 'stale') return null
  return (
    <div class="banner warn" role="status">
      <ToneIcon tone="warn" />
      <p>
        <b>{source === 'stale' ? strings.oldList : strings.someFailed}</b>{' '}
        {source === 'stale' ? oldListText() : strings.someFailedText(failedSources())}
      </p>
    </div>
  )
}

function oldListText(): string {
  const sampledAt = status.value?.recommendations.sampledAt ?? null
  return sampledAt === null ? '' : strings.oldListText(zone.value.when(Date.parse(sampledAt), browserMs.value))
}

function failedSources(): string {
  const failed = health.value?.sources.filter(({ tone }) => tone === 'bad' || tone === 'warn') ?? []
  return failed.map(({ title }) => title.toLowerCase()).join(', ')
}
