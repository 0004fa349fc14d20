import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock, ManagementAccess, Redacted } from '@svc/core/service'

/** A pause without calls: the reason shown, and the pause's end by the monotonic clock. */
export interface KeyHold {
  readonly shown: Extract<ManagementAccess, { kind: 'refused' | 'banned' }>
  readonly endsAtMs: number
}

/**
 * Remembers the keys the proxy has refused; the gate decides how long each is held. A briefly unreadable file, or two alternating keys,
 * must not lead to a fifth refused attempt, for which the proxy bans the address.
 */
export interface KeyHolds {
  /** The hold of a key; null if there is none or it has ended. */
  of(key: Redacted): KeyHold | null
  keep(key: Redacted, hold: KeyHold): void
  forget(key: Redacted): void
  forgetAll(): void
}

export function createKeyHolds(clock: Pick<Clock, 'monotonicMs'>): KeyHolds {
  const holdByFingerprint = new Map<string, KeyHold>()
  return {
    of(key) {
      const hold = holdByFingerprint.get(fingerprintOf(key))
      return hold !== undefined && hold.endsAtMs > clock.monotonicMs() ? hold : null
    },
    keep: (key, hold) => void holdByFingerprint.set(fingerprintOf(key), hold),
    forget: (key) => void holdByFingerprint.delete(fingerprintOf(key)),
    forgetAll: () => holdByFingerprint.clear(),
  }
}

/** Whether a text equals this key, in constant time. */
export function isKeyText(key: Redacted, text: string): boolean {
  return timingSafeEqual(digestOf(text), digestOf(key.reveal()))
}

/** Replaces a refused key in memory, so that the key itself is not kept. */
function fingerprintOf(key: Redacted): string {
  return digestOf(key.reveal()).toString('base64')
}

/** SHA-256, so that both sides of the constant-time comparison have the same length. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
