import { effect, signal } from '@preact/signals'
import { shown } from '../parts/text.tsx'
import { browserMs, health } from '../state/live-data.ts'
import { strings } from '../words/strings.ts'

/** Time within which returning trouble is not announced again. */
const SAME_TROUBLE_MS = 3_600_000
/** Maximum number of titles that are read out; the rest are only counted. */
const NAMED_MAX = 3

/** Time at which each trouble was last seen, by id. Null before the first answer, whose trouble is read together with the page. */
let lastSeenMs: Map<string, number> | null = null
const announced = signal<readonly string[]>([])

/** Starts watching for new trouble. The returned function stops it. */
export function followTrouble(): () => void {
  lastSeenMs = null
  announced.value = []
  return effect(() => {
    const now = health.value
    if (now === null) return
    const nowMs = browserMs.peek()
    const seen = lastSeenMs ?? new Map<string, number>()
    const fresh = now.actions.filter(({ id = '' }) => {
      const before = seen.get(id)
      return before === undefined || nowMs - before > SAME_TROUBLE_MS
    })
    for (const { id = '' } of now.actions) seen.set(id, nowMs)
    if (lastSeenMs !== null && fresh.length > 0) announced.value = fresh.map(({ title }) => title)
    lastSeenMs = seen
  })
}

/** Announces to screen readers trouble that is new since the page was opened. */
export function Announcer() {
  const titles = announced.value.map(shown)
  return (
    <p class="sr" role="status">
      {titles.length > 0 &&
        strings.newTrouble(titles.slice(0, NAMED_MAX), titles.length - NAMED_MAX)}
    </p>
  )
}
