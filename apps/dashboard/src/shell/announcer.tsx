import { effect, signal } from '@preact/signals'
import { shown } from '../parts/name.tsx'
import { browserMs, health } from '../state/live-data.ts'
import { strings } from '../words/strings.ts'

/** Trouble that comes back sooner than this is the same trouble, and is not said again. */
const SAME_TROUBLE_MS = 3_600_000
/** More at once are counted, not read out. */
const NAMED_MAX = 3

/** When each trouble was last seen, by its name; null before the first answer, whose trouble is on the page that is read then. */
let lastSeenMs: Map<string, number> | null = null
const announced = signal<readonly string[]>([])

/** Begins to watch what is wrong. */
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

/** Says to screen readers what has gone wrong since the page was opened, each trouble once. */
export function Announcer() {
  const titles = announced.value.map(shown)
  return (
    <p class="sr" role="status">
      {titles.length > 0 &&
        strings.newTrouble(titles.slice(0, NAMED_MAX), titles.length - NAMED_MAX)}
    </p>
  )
}
