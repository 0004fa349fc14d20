import { type EpochMs, epochMs, MINUTE_MS, type RequestSlot } from '@svc/core'

/** The proxy counts in 20 slots of 10 minutes, aligned to whole 10 minutes. See docs/upstream.md#recent-requests. */
const SLOT_COUNT = 20
export const SLOT_MS = 600_000

interface Traffic {
  /** Mean number of requests in a full slot. */
  readonly requestsPerSlot: number
  /** Share of the requests that fail, 0..1. */
  readonly failedRatio: number
  /** Makes the traffic of two accounts differ. */
  readonly phaseMs: number
  /** No request ended after this. */
  readonly until: EpochMs
}

/** The newest slots at `observedAt`, oldest first. A past slot never changes; the current one grows by the minute. */
export function requestSlotsAt(observedAt: EpochMs, traffic: Traffic): readonly RequestSlot[] {
  const newest = Math.floor(observedAt / SLOT_MS)
  return Array.from({ length: SLOT_COUNT }, (_, index) =>
    requestSlotOf(newest - SLOT_COUNT + 1 + index, traffic),
  )
}

/** Latest instant by which the last successful request had ended; null if no slot has one. */
export function lastSuccessIn(slots: readonly RequestSlot[], until: EpochMs): EpochMs | null {
  const slot = slots.findLast(({ success }) => success > 0)
  return slot === undefined ? null : epochMs(Math.min(slot.startAt + SLOT_MS, until))
}

/** The slot that starts `number` slots after 1970, with the requests up to `traffic.until`. */
export function requestSlotOf(number: number, traffic: Traffic): RequestSlot {
  const startAt = epochMs(number * SLOT_MS)
  const workedMs = Math.max(0, Math.min(SLOT_MS, traffic.until - startAt))
  const workedShare = (Math.floor(workedMs / MINUTE_MS) * MINUTE_MS) / SLOT_MS
  const requests = Math.floor(
    traffic.requestsPerSlot * (0.6 + 0.8 * scatter(number + traffic.phaseMs)) * workedShare,
  )
  const failed = Math.ceil(requests * traffic.failedRatio)
  return { startAt, success: requests - failed, failed }
}

/** A pseudo-random number 0..1 derived from `seed`. */
export function scatter(seed: number): number {
  const mixed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d)
  return ((mixed ^ (mixed >>> 12)) >>> 0) / 0x1_0000_0000
}
