import type { PoolEvent } from '@svc/views'

interface NumberedEvent {
  readonly id: number
  readonly bytes: Uint8Array
}

/** See docs/limits.md#what-a-client-may-take-up. */
const EVENTS_MAX = 1_000
const ID = /^\d{1,15}$/

/** Ring of recent events. Ids continue from `startId`, the start time in milliseconds, so that they grow across restarts. */
export function createEventRing(startId: number) {
  let lastId = startId
  /** Every event after this id is kept. */
  let completeAfterId = startId
  let events: readonly NumberedEvent[] = []
  let snapshot: NumberedEvent | null = null
  let listener = (_: Uint8Array) => {}

  const numbered = (text: string): NumberedEvent => {
    lastId += 1
    return { id: lastId, bytes: Buffer.from(`id: ${lastId}\n${text}`) }
  }
  return {
    /** Keeps an event and hands it to the listener. `text`: made by `eventText`. */
    add(text: string) {
      const event = numbered(text)
      const oldest = events.length === EVENTS_MAX ? events[0] : undefined
      completeAfterId = oldest?.id ?? completeAfterId
      events = [...(oldest === undefined ? events : events.slice(1)), event]
      listener(event.bytes)
    },
    /** Keeps the newest snapshot in place of the previous one and hands it to the listener. */
    addSnapshot(text: string) {
      snapshot = numbered(text)
      listener(snapshot.bytes)
    },
    /** Events after this id, oldest first; only the newest snapshot if later events are missing or the id is unknown. */
    after(text: string | undefined = ''): readonly Uint8Array[] {
      const id = ID.test(text) ? Number(text) : Number.NaN
      const latest = snapshot === null ? [] : [snapshot]
      const isKnown = id >= completeAfterId && id <= lastId
      const missed = isKnown
        ? [...events, ...latest].filter((event) => event.id > id).sort((a, b) => a.id - b.id)
        : latest
      return missed.map(({ bytes }) => bytes)
    },
    /** Records that events may have been missed, so that no client resumes across the gap. */
    interrupt() {
      lastId += 1
      completeAfterId = lastId
      events = []
    },
    onEvent(next: (bytes: Uint8Array) => void) {
      listener = next
    },
  }
}

export type EventRing = ReturnType<typeof createEventRing>

/** Event as text for followers, without its id. */
export function eventText({ event, data }: PoolEvent): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
