import { createHash, timingSafeEqual } from 'node:crypto'
import { type EpochMs, plusMs } from '@svc/core'
import {
  type Clock,
  type KeyFileProblem,
  type ManagementAccess,
  REFUSALS_TO_BAN,
  REFUSED_RETRY_SECONDS,
  type Redacted,
} from '@svc/core/service'
import { UpstreamError, upstreamErrorOf } from './upstream-error.ts'

/** A pause without calls: the reason shown, and the pause's end by the monotonic clock. */
interface KeyHold {
  readonly shown: Extract<ManagementAccess, { kind: 'refused' | 'banned' }>
  readonly endsAtMs: number
}

/** Whether a text equals this key, in constant time. */
export function isKeyText(key: Redacted, text: string): boolean {
  return timingSafeEqual(digestOf(text), digestOf(key.reveal()))
}

/** A hash that is kept instead of a refused key. */
function fingerprintOf(key: Redacted): string {
  return digestOf(key.reveal()).toString('base64')
}

/** SHA-256, so that both sides of the constant-time comparison have the same length. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Lets calls pass one after the other, or a few at a time. `admit` returns a call's key and the number of calls that may run at once with that key; it throws while no call may be sent. */
function createTurns(admit: () => { readonly key: Redacted; readonly inFlightMax: number }) {
  let inFlightCount = 0
  let generation = 0
  let waiting: (() => void)[] = []

  const wakeWaiting = () => {
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }

  const begin = (key: Redacted) => {
    const mine = generation
    inFlightCount += 1
    const isCurrent = () => mine === generation
    return {
      key,
      /** False once all turns were taken back: the result of this call then says nothing about the current state. */
      isCurrent,
      end() {
        if (isCurrent()) inFlightCount -= 1
        wakeWaiting()
      },
    }
  }

  return {
    /** Waits for the right to send one call. Throws the error of `admit`. */
    async take() {
      for (;;) {
        // Asked and taken synchronously, so that no other call can take the same turn.
        const { key, inFlightMax } = admit()
        if (inFlightCount < inFlightMax) return begin(key)
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
    /** Takes all turns back; waiting calls ask for a new one. */
    startOver() {
      inFlightCount = 0
      generation += 1
      wakeWaiting()
    },
  }
}

/** State of the key: usable, or in a file that cannot be used; null if none is set. */
export type ManagementKey =
  | { readonly kind: 'key'; readonly key: Redacted }
  | { readonly kind: 'problem'; readonly reason: KeyFileProblem }
  | null

/** See docs/limits.md#after-a-refusal-of-the-key. */
const CALLS_IN_FLIGHT_MAX = 3
/** Leaves one refusal for a restart and one for `doctor` before the proxy bans the address. */
const TRIES_BY_HAND_MAX = REFUSALS_TO_BAN - 3

/** Whether the gate was shut, so that nothing was sent. */
export function isHeld(error: UpstreamError): boolean {
  return error.httpStatus === null && HELD_CODES.has(error.code)
}

const HELD_CODES: ReadonlySet<string> = new Set(['no_key', 'unauthorized', 'forbidden', 'banned'])

/** Creates a gate without a key. The first call after a start, a key change or a hold is sent alone; later calls are sent up to three at a time. */
export function createManagementGate(clock: Clock) {
  /** Undefined until it is read. */
  let key: ManagementKey | undefined
  let accepted = false
  let hold: KeyHold | null = null
  let onAccepted = () => {}
  const mayTryByHand = createTriesByHand(clock)
  /**
   * Holds of the keys that the proxy has refused, by fingerprint. They keep a briefly unreadable file or two alternating keys from causing a fifth
   * refusal, at which the proxy bans the address.
   */
  const holdByFingerprint = new Map<string, KeyHold>()

  const heldForMs = () => {
    if (key?.kind !== 'key') return Number.POSITIVE_INFINITY
    return hold === null ? 0 : Math.max(0, hold.endsAtMs - clock.monotonicMs())
  }

  // Answers to calls made with an earlier key say nothing about the current one.
  const turns = createTurns(() => {
    if (key?.kind !== 'key') throw new UpstreamError('no_key', 'there is no usable management key')
    if (hold !== null && heldForMs() > 0) throw heldError(hold)
    hold = null
    return { key: key.key, inFlightMax: accepted ? CALLS_IN_FLIGHT_MAX : 1 }
  })

  const startOver = () => {
    accepted = false
    const kept = key?.kind === 'key' ? holdByFingerprint.get(fingerprintOf(key.key)) : undefined
    hold = kept !== undefined && kept.endsAtMs > clock.monotonicMs() ? kept : null
    turns.startOver()
  }

  const shutAfter = (failure: UpstreamError) => {
    const refusal = refusalIn(failure, clock.now())
    if (refusal === null) return
    accepted = false
    hold = { shown: refusal.shown, endsAtMs: clock.monotonicMs() + refusal.seconds * 1000 }
    if (key?.kind === 'key') holdByFingerprint.set(fingerprintOf(key.key), hold)
  }

  return {
    /**
     * Sends a call when its turn comes. While held, throws UpstreamError `no_key`, `unauthorized`, `forbidden` or `banned` without sending (see
     * `isHeld`); otherwise throws the UpstreamError of the call.
     */
    async call<Value>(send: (key: Redacted) => Promise<Value>): Promise<Value> {
      const turn = await turns.take()
      try {
        const value = await send(turn.key)
        if (turn.isCurrent() && hold === null && !accepted) {
          accepted = true
          onAccepted()
        }
        return value
      } catch (error) {
        const failure = upstreamErrorOf(error)
        if (turn.isCurrent()) shutAfter(failure)
        throw failure
      } finally {
        turn.end()
      }
    },
    /** Takes the current key; true if it differs from the previous one. A refused key stays held until its hold ends. */
    useKey(next: ManagementKey): boolean {
      if (isSameKey(key, next)) return false
      key = next
      startOver()
      return true
    },
    /** Ends every hold, as a restart does. */
    endHold() {
      holdByFingerprint.clear()
      if (hold !== null) startOver()
    },
    /**
     * Lets the next call try a refused key again, on request or once the proxy is back. False if the key is not refused or was retried too often. See
     * docs/limits.md#after-a-refusal-of-the-key.
     */
    tryRefusedKey(): boolean {
      if (hold?.shown.kind !== 'refused' || heldForMs() === 0 || !mayTryByHand()) return false
      if (key?.kind === 'key') holdByFingerprint.delete(fingerprintOf(key.key))
      startOver()
      return true
    },
    /** Calls `listener` each time the proxy accepts a new or previously refused key. */
    onAccepted(listener: () => void) {
      onAccepted = listener
    },
    access: (): ManagementAccess =>
      withoutKey(key) ?? hold?.shown ?? { kind: accepted ? 'accepted' : 'unproven' },
    /** Whether a text is the current key, in constant time; null if there is no usable key. */
    isKey: (text: string) => (key?.kind === 'key' ? isKeyText(key.key, text) : null),
    /** Milliseconds until a call may be sent; 0 for now, Infinity if only another key helps. */
    heldForMs,
  }
}

export type ManagementGate = ReturnType<typeof createManagementGate>

/** Access state shown without a usable key; null if the key is usable or not yet read. */
function withoutKey(key: ManagementKey | undefined): ManagementAccess | null {
  if (key === null) return { kind: 'no_key' }
  return key?.kind === 'problem' ? { kind: 'unreadable_key', reason: key.reason } : null
}

/**
 * Counts retries requested by the operator; false if there were too many within the period. All keys count together, because the proxy counts by
 * address.
 */
function createTriesByHand(clock: Clock): () => boolean {
  let tries: readonly number[] = []
  return () => {
    const forgottenMs = clock.monotonicMs() - REFUSED_RETRY_SECONDS * 1000
    tries = tries.filter((atMs) => atMs > forgottenMs)
    if (tries.length >= TRIES_BY_HAND_MAX) return false
    tries = [...tries, clock.monotonicMs()]
    return true
  }
}

/** The hold that a failure causes, and its length in seconds; null if it causes none. */
function refusalIn(
  { code, retryAfterSeconds }: UpstreamError,
  at: EpochMs,
): (Pick<KeyHold, 'shown'> & { readonly seconds: number }) | null {
  if (code === 'banned') {
    const seconds = retryAfterSeconds ?? 0
    return { shown: { kind: 'banned', until: plusMs(at, seconds * 1000) }, seconds }
  }
  if (code !== 'unauthorized' && code !== 'forbidden') return null
  const nextAttemptAt = plusMs(at, REFUSED_RETRY_SECONDS * 1000)
  return {
    shown: { kind: 'refused', at, nextAttemptAt, failure: code },
    seconds: REFUSED_RETRY_SECONDS,
  }
}

function isSameKey(one: ManagementKey | undefined, other: ManagementKey): boolean {
  if (one?.kind === 'key' && other?.kind === 'key') return one.key.reveal() === other.key.reveal()
  if (one?.kind === 'problem' && other?.kind === 'problem') return one.reason === other.reason
  return one === other
}

function heldError({ shown }: KeyHold): UpstreamError {
  return shown.kind === 'banned'
    ? new UpstreamError('banned', 'waiting for the end of the ban')
    : new UpstreamError(shown.failure, 'waiting because the proxy refused the management key')
}
