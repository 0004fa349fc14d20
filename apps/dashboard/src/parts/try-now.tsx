import { askAllNow } from '../state/ask-regularly.ts'
import { pollNow } from '../state/live-data.ts'
import { strings } from '../words/strings.ts'

/** A button that polls the monitor at once, shown beside messages about a missing answer. */
export function TryNow() {
  return (
    <button
      type="button"
      class="button"
      onClick={() => {
        pollNow()
        askAllNow()
      }}
    >
      {strings.tryNow}
    </button>
  )
}
