import { type EpochMs, plusMs } from '@svc/core'
import { goDuration } from './wire.ts'

/** See docs/upstream.md#management-access. */
const FAILURES_MAX = 5
const BAN_MS = 30 * 60_000
const IDLE_MS = 2 * 3_600_000

/** Configuration of the management API: `disabled` answers 404 to everything, the other two refuse every key. */
export type FakeManagement = 'open' | 'disabled' | 'remote_refused' | 'key_not_set'

export type GateAnswer =
  | { readonly kind: 'accepted' }
  | {
      readonly kind: 'refused'
      readonly status: 401 | 403
      readonly error: string
      readonly banned: boolean
    }

interface Attempt {
  readonly address: string
  readonly key: string | null
  readonly expectedKey: string
  readonly management: FakeManagement
}

interface Caller {
  failures: number
  lastFailureAt: EpochMs
  bannedUntil: EpochMs | null
}

/** The proxy's key check with its ban: five failures without a success, then 30 min for this address, even with the right key. */
export function createManagementGate(now: () => EpochMs) {
  const callers = new Map<string, Caller>()

  const callerOf = (address: string): Caller | null => {
    const caller = callers.get(address)
    if (caller === undefined) return null
    const over =
      caller.bannedUntil === null
        ? now() - caller.lastFailureAt > IDLE_MS
        : caller.bannedUntil <= now()
    if (over) callers.delete(address)
    return over ? null : caller
  }

  const countFailure = (address: string, error: string): GateAnswer => {
    const failures = (callerOf(address)?.failures ?? 0) + 1
    const bannedUntil = failures >= FAILURES_MAX ? plusMs(now(), BAN_MS) : null
    callers.set(address, { failures, lastFailureAt: now(), bannedUntil })
    return { kind: 'refused', status: 401, error, banned: false }
  }

  return {
    /** Decides one request in the proxy's own order of checks; counts failures per address. */
    decide({ address, key, expectedKey, management }: Attempt): GateAnswer {
      const bannedUntil = callerOf(address)?.bannedUntil ?? null
      if (bannedUntil !== null) {
        const error = `IP banned due to too many failed attempts. Try again in ${goDuration(bannedUntil - now())}`
        return { kind: 'refused', status: 403, error, banned: true }
      }
      if (management === 'remote_refused') return forbidden('remote management disabled')
      if (management === 'key_not_set') return forbidden('remote management key not set')
      if (key === null) return countFailure(address, 'missing management key')
      if (key !== expectedKey) return countFailure(address, 'invalid management key')
      callers.delete(address)
      return { kind: 'accepted' }
    },
    /** Highest number of open failures of any address, 0..5; 5 means banned. */
    failuresOpen: () =>
      Math.max(0, ...[...callers.keys()].map((address) => callerOf(address)?.failures ?? 0)),
    forgetAll: () => callers.clear(),
  }
}

function forbidden(error: string): GateAnswer {
  return { kind: 'refused', status: 403, error, banned: false }
}

/** The key as read by the proxy: Authorization with or without `Bearer`, else X-Management-Key. */
export function managementKeyOf(headers: Headers): string | null {
  const authorization = headers.get('authorization') ?? ''
  if (authorization !== '') return authorization.replace(/^bearer /i, '')
  return headers.get('x-management-key') || null
}
