import { createHash, timingSafeEqual } from 'node:crypto'
import { plusMs } from '@svc/core'
import type { Clock, KeyFileProblem, ManagementAccess, Redacted } from '@svc/core/service'
import { UpstreamError, upstreamErrorOf } from './upstream-error.ts'

/** The key as it stands: usable, not set, or in a file that cannot be used. */
export type ManagementKey =
  | { readonly kind: 'key'; readonly key: Redacted }
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly reason: KeyFileProblem }

/** Decides whether an authenticated call may go out, and learns from every answer. */
export interface ManagementGate {
  /**
   * Sends a call when its turn has come. Throws UpstreamError: while held `no_key`, `unauthorized`, `forbidden` or `banned` without a call (see
   * `isHeld`), else whatever the call throws.
   */
  call<Value>(send: (key: Redacted) => Promise<Value>): Promise<Value>
  /** Takes the present key; true when it differs from the one before. A key that the proxy has refused stays held until its time is over. */
  useKey(key: ManagementKey): boolean
  /** Lets the next call try again, as after a restart. */
  endHold(): void
  access(): ManagementAccess
  /** Whether this is the key of now; null where there is no usable one. Takes as long for any text. */
  isKey(text: string): boolean | null
  /** Milliseconds until a call may go out: 0 now, Infinity not before the key changes. */
  heldForMs(): number
}

/** After a refusal the proxy counts failures without a time window, and forgets an idle address after 2 h. See docs/limits.md#after-a-refusal-of-the-key. */
const REFUSED_RETRY_SECONDS = 150 * 60
/** See docs/limits.md#after-a-refusal-of-the-key. */
const CALLS_IN_FLIGHT_MAX = 3

/** True for a failure that sent nothing because the gate is shut. */
export function isHeld(error: UpstreamError): boolean {
  return error.httpStatus === null && HELD_CODES.has(error.code)
}

const HELD_CODES: ReadonlySet<string> = new Set(['no_key', 'unauthorized', 'forbidden', 'banned'])

type Hold = Extract<ManagementAccess, { kind: 'refused' | 'banned' }>

/** Makes a gate that does not know the key yet. The first call after a start, a key change or a hold goes out alone; later ones three at a time. */
export function createManagementGate(clock: Clock): ManagementGate {
  let key: ManagementKey | { readonly kind: 'unread' } = { kind: 'unread' }
  let accepted = false
  let hold: { readonly shown: Hold; readonly endsAtMs: number } | null = null
  // A file that cannot be read for a moment, or two keys by turns, must not lead to a fifth attempt, for which the proxy bans the address.
  const holdByKey = new Map<string, { readonly shown: Hold; readonly endsAtMs: number }>()
  let inFlightCount = 0
  // Answers to calls with an earlier key say nothing about the present one.
  let generation = 0
  let waiting: (() => void)[] = []

  const heldForMs = () => {
    if (key.kind !== 'key') return Number.POSITIVE_INFINITY
    return hold === null ? 0 : Math.max(0, hold.endsAtMs - clock.monotonicMs())
  }

  const startOver = () => {
    accepted = false
    const earlier = key.kind === 'key' ? holdByKey.get(fingerprintOf(key.key)) : undefined
    hold = earlier !== undefined && earlier.endsAtMs > clock.monotonicMs() ? earlier : null
    inFlightCount = 0
    generation += 1
    wakeWaiting()
  }

  const wakeWaiting = () => {
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }

  /** Waits for a turn and takes it in the same breath, so that nobody else can take it too. */
  const takeTurn = async (): Promise<{ readonly granted: Redacted; readonly mine: number }> => {
    for (;;) {
      if (key.kind !== 'key') throw new UpstreamError('no_key', 'there is no usable management key')
      if (hold !== null && heldForMs() > 0) throw heldError(hold.shown)
      hold = null
      if (inFlightCount < (accepted ? CALLS_IN_FLIGHT_MAX : 1)) {
        inFlightCount += 1
        return { granted: key.key, mine: generation }
      }
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }

  const shut = (shown: Hold, seconds: number) => {
    accepted = false
    hold = { shown, endsAtMs: clock.monotonicMs() + seconds * 1000 }
    if (key.kind === 'key') holdByKey.set(fingerprintOf(key.key), hold)
  }

  const learnFrom = (error: UpstreamError) => {
    const at = clock.now()
    if (error.code === 'banned') {
      const seconds = error.retryAfterSeconds ?? 0
      shut({ kind: 'banned', until: plusMs(at, seconds * 1000) }, seconds)
    } else if (error.code === 'unauthorized' || error.code === 'forbidden') {
      const nextAttemptAt = plusMs(at, REFUSED_RETRY_SECONDS * 1000)
      shut({ kind: 'refused', at, nextAttemptAt, failure: error.code }, REFUSED_RETRY_SECONDS)
    }
  }

  return {
    async call(send) {
      const { granted, mine } = await takeTurn()
      try {
        const value = await send(granted)
        if (mine === generation && hold === null) accepted = true
        return value
      } catch (error) {
        const failure = upstreamErrorOf(error)
        if (mine === generation) learnFrom(failure)
        throw failure
      } finally {
        if (mine === generation) inFlightCount -= 1
        wakeWaiting()
      }
    },
    useKey(next) {
      if (isSameKey(key, next)) return false
      key = next
      startOver()
      return true
    },
    endHold() {
      holdByKey.clear()
      if (hold !== null) startOver()
    },
    access() {
      if (key.kind === 'none') return { kind: 'no_key' }
      if (key.kind === 'unreadable') return { kind: 'unreadable_key', reason: key.reason }
      if (hold !== null) return hold.shown
      return { kind: accepted ? 'accepted' : 'unproven' }
    },
    isKey: (text) =>
      key.kind === 'key' ? timingSafeEqual(digestOf(text), digestOf(key.key.reveal())) : null,
    heldForMs,
  }
}

/** Stands in for a refused key, so that the key itself is not kept. */
function fingerprintOf(key: Redacted): string {
  return digestOf(key.reveal()).toString('base64')
}

/** Of one length, whatever the text. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function isSameKey(
  one: ManagementKey | { readonly kind: 'unread' },
  other: ManagementKey,
): boolean {
  if (one.kind === 'key' && other.kind === 'key') return one.key.reveal() === other.key.reveal()
  if (one.kind === 'unreadable' && other.kind === 'unreadable') return one.reason === other.reason
  return one.kind === other.kind
}

function heldError(hold: Hold): UpstreamError {
  return hold.kind === 'banned'
    ? new UpstreamError('banned', 'waiting for the end of the ban')
    : new UpstreamError(hold.failure, 'waiting because the proxy refused the management key')
}
