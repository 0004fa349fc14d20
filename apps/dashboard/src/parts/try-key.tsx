import { status } from '../state/live-data.ts'
import { asking, outcome, refresh } from '../state/refresh.ts'
import { strings } from '../words/strings.ts'
import { Button } from './button.tsx'
import { ToneIcon } from './icon.tsx'

/** A button that makes the monitor retry a refused key now rather than hours later, and the result. */
export function TryKey() {
  const isRunning = status.value?.summary.manualRefresh.status === 'running'
  const told = outcome.value?.accountKey === null ? outcome.value : null
  return (
    <div class="refresh-this">
      <Button aria-disabled={asking.value || isRunning} onClick={() => void refresh('default')}>
        {strings.tryKey}
      </Button>
      {told !== null && (
        <p>
          <ToneIcon tone={told.isGood ? 'good' : 'bad'} /> {told.text}
        </p>
      )}
    </div>
  )
}

/** Code of the action for a refused key. */
export const KEY_REFUSED = 'management_key_refused'
