import { effect } from '@preact/signals'
import { connection, noteStatusVersion, pollNow } from './live-data.ts'

/** Duration after which the end of a stream no longer counts as a failure, in milliseconds. */
const PROVEN_MS = 60_000
const BACKOFF_MS = 3_000
const BACKOFF_MS_MAX = 60_000

let stream: EventSource | null = null
let openedMs = 0
let losses = 0

/**
 * Follows the events of the monitor while the page is visible and polls succeed. A stream that ends is reopened with increasing delays, and not by
 * the browser's own retry, because a poll must first show that the monitor answers.
 */
export function followEvents(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) close()
  })
  effect(() => {
    if (connection.value.failingSinceMs !== null) return lose()
    const waitMs = losses === 0 ? 0 : Math.min(BACKOFF_MS_MAX, BACKOFF_MS * 2 ** losses)
    if (stream === null && !document.hidden && Date.now() - openedMs >= waitMs) open()
  })
}

function open(): void {
  openedMs = Date.now()
  stream = new EventSource('/api/v1/events')
  stream.addEventListener('snapshot', ({ data }) => noteStatusVersion(JSON.parse(data).etag))
  // Announcements made before it opened are not repeated.
  stream.onopen = pollNow
  stream.onerror = lose
}

function lose(): void {
  if (stream === null) return
  losses = Date.now() - openedMs < PROVEN_MS ? losses + 1 : 1
  openedMs = Date.now()
  close()
}

function close(): void {
  stream?.close()
  stream = null
  noteStatusVersion()
}
