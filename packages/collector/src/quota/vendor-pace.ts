import { type EpochMs, type ProviderId, plusMs } from '@svc/core'
import {
  type Clock,
  type PausedProvider,
  RETRY_AFTER_SECONDS_MAX,
  type VendorRefusal,
} from '@svc/core/service'
import type { AskedVendor, ProbeResult, VendorPause } from '../providers/contract/provider.ts'

interface Course {
  readonly pausedUntilMs: number
  readonly pausesInARow: number
  readonly reason: VendorRefusal['reason']
  /** Last login that got a challenge page, if no other answer has come since; null for none. */
  readonly blockedLogin: string | null
  readonly isStopped: boolean
  readonly underWay: number
  readonly endedAtMs: number
}

const undisturbed: Course = {
  pausedUntilMs: Number.NEGATIVE_INFINITY,
  pausesInARow: 0,
  reason: 'throttled',
  blockedLogin: null,
  isStopped: false,
  underWay: 0,
  endedAtMs: Number.NEGATIVE_INFINITY,
}

/** Turns and pauses of all queries of each vendor, through any proxy. Times are monotonic milliseconds. See docs/rules.md#asking-politely. */
export function createVendorPace(clock: Clock) {
  const courses = new Map<ProviderId, Course>()
  const listeners = new Set<() => void>()
  const courseOf = ({ id }: Pick<AskedVendor, 'id'>) => courses.get(id) ?? undisturbed
  const change = ({ id }: AskedVendor, changes: Partial<Course>) =>
    courses.set(id, { ...courseOf({ id }), ...changes })

  const pausedUntilMs = (provider: AskedVendor) => {
    const { isStopped, pausedUntilMs: untilMs } = courseOf(provider)
    return isStopped ? Number.POSITIVE_INFINITY : untilMs
  }

  const refuse = (provider: AskedVendor, reason: VendorRefusal['reason'], retryAfterMs: number) => {
    const { budget } = provider.politeness
    if (budget === null) return null
    const nowMs = clock.monotonicMs()
    const course = courseOf(provider)
    // A query sent before the pause says nothing about its length.
    const isFurther = course.pausedUntilMs <= nowMs
    const inARow = course.pausesInARow + (isFurther ? 1 : 0)
    const usualMs = pauseMs(budget.pause, inARow)
    const untilMs = Math.max(
      course.pausedUntilMs,
      nowMs + Math.max(retryAfterMs, isFurther ? usualMs : 0),
    )
    change(provider, { pausedUntilMs: untilMs, pausesInARow: inARow, reason })
    return { until: plusMs(clock.now(), untilMs - nowMs), inARow, reason }
  }

  let bankedListAtMs = Number.NEGATIVE_INFINITY

  return {
    /** Whether banked resets may be listed now. `apartMs`: time between two lists of any accounts. */
    mayListBanked: (apartMs: number) => clock.monotonicMs() >= bankedListAtMs + apartMs,
    /** Counts a list that is asked for at this time. */
    countBankedList(atMs: number) {
      bankedListAtMs = atMs
    },
    /**
     * Time from which the next query of any account may be sent; Infinity while another query must end first, and while queries are stopped until a
     * restart or a reload.
     */
    freeAtMs(provider: AskedVendor) {
      const apartSeconds = provider.politeness.budget?.apartSeconds ?? 0
      const { underWay, endedAtMs, pausesInARow } = courseOf(provider)
      // After a pause one query alone finds out whether the vendor answers again.
      const isOneByOne = apartSeconds > 0 || pausesInARow > 0
      if (isOneByOne && underWay > 0) return Number.POSITIVE_INFINITY
      return Math.max(pausedUntilMs(provider), endedAtMs + apartSeconds * 1000)
    },
    /** End of the last pause; -Infinity if there was none, Infinity until a restart or a reload. */
    pausedUntilMs,
    begin(provider: AskedVendor) {
      if (provider.politeness.budget === null) return
      change(provider, { underWay: courseOf(provider).underWay + 1 })
    },
    end(provider: AskedVendor) {
      if (provider.politeness.budget === null) return
      change(provider, {
        underWay: courseOf(provider).underWay - 1,
        endedAtMs: clock.monotonicMs(),
      })
      for (const listener of listeners) listener()
    },
    /** Takes the result of a query with this login. Returns the pause caused by a refusal; null for none. */
    take(provider: AskedVendor, result: ProbeResult, accountKey: string): VendorRefusal | null {
      const { budget } = provider.politeness
      if (budget === null) return null
      const { blockedLogin, pausesInARow, reason } = courseOf(provider)
      if (result.kind === 'blocked') change(provider, { blockedLogin: accountKey })
      else if (result.kind !== 'failed') change(provider, { blockedLogin: null })
      if (result.kind === 'throttled')
        return refuse(provider, 'throttled', (result.retryAfterSeconds ?? 0) * 1000)
      // A page for one login may be about that login; for two of them it is about our address.
      const isOfAddress =
        (blockedLogin !== null && blockedLogin !== accountKey) ||
        (pausesInARow > 0 && reason === 'blocked')
      if (result.kind === 'blocked' && budget.blockedPauses && isOfAddress)
        return refuse(provider, 'blocked', 0)
      if (result.kind === 'auth' && result.revoked === true && budget.revokedStops)
        change(provider, { isStopped: true })
      const isPaused = courseOf(provider).pausedUntilMs > clock.monotonicMs()
      if (result.kind === 'sample' && !isPaused) change(provider, { pausesInARow: 0 })
      return null
    },
    /** Continues a pause of an earlier process, or of the monitor that queries in our place, unless a later pause is known. */
    resume(provider: AskedVendor, { until, inARow, reason }: VendorRefusal) {
      const { budget } = provider.politeness
      if (budget === null) return
      const leftMs = Math.min(until - clock.now(), longestMs(budget.pause))
      const untilMs = clock.monotonicMs() + leftMs
      if (untilMs > courseOf(provider).pausedUntilMs)
        change(provider, { pausedUntilMs: untilMs, pausesInARow: inARow, reason })
    },
    /** Resumes queries of the vendors that had been stopped. */
    endStops() {
      for (const [id, course] of courses) courses.set(id, { ...course, isStopped: false })
    },
    paused(): readonly PausedProvider[] {
      const nowMs = clock.monotonicMs()
      const until = (untilMs: number): EpochMs => plusMs(clock.now(), untilMs - nowMs)
      return [...courses].flatMap(([provider, course]): PausedProvider[] => {
        if (course.isStopped) return [{ provider, until: null, reason: 'revoked' }]
        if (course.pausedUntilMs <= nowMs) return []
        return [{ provider, until: until(course.pausedUntilMs), reason: course.reason }]
      })
    },
    /** Calls `listener` when a query has ended and another may be sent; returns a function that removes the listener. */
    onFree(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export type VendorPace = ReturnType<typeof createVendorPace>

function pauseMs({ firstSeconds, longestSeconds }: VendorPause, inARow: number): number {
  return Math.min(longestSeconds, firstSeconds * 2 ** (inARow - 1)) * 1000
}

/** Longest pause that can have been stored; a longer one comes from a wrong clock. */
function longestMs({ longestSeconds }: VendorPause): number {
  return Math.max(longestSeconds, RETRY_AFTER_SECONDS_MAX) * 1000
}
