import { status } from '../state/live-data.ts'
import { asking, outcome, refreshAccount } from '../state/refresh.ts'
import { strings } from '../words/strings.ts'
import { ToneIcon } from './icon.tsx'

/** Asks about one account, and says what became of it. */
export function RefreshThis({
  accountKey,
  isDisabled,
}: {
  readonly accountKey: string
  readonly isDisabled: boolean
}) {
  const run = status.value?.summary.manualRefresh
  const isRunning = run?.status === 'running'
  const told = outcome.value?.accountKey === accountKey ? outcome.value : null
  return (
    <>
      <div class="refresh-this">
        <button
          type="button"
          class="button"
          aria-disabled={asking.value || isRunning}
          onClick={() => void refreshAccount(accountKey)}
        >
          {isRunning
            ? strings.refreshing(run.done, run.queued)
            : isDisabled
              ? strings.probeOne
              : strings.refreshOne}
        </button>
        <p role="status">
          {told !== null && (
            <>
              <ToneIcon tone={told.isGood ? 'good' : 'bad'} /> {told.text}
            </>
          )}
        </p>
      </div>
      {isDisabled && <p class="dim small">{strings.probeOneNote}</p>}
    </>
  )
}
