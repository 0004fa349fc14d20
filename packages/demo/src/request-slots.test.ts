import { epochMs } from '@svc/core'
import { describe, expect, it } from 'vitest'
import { lastSuccessIn, requestSlotsAt } from './request-slots.ts'

const SLOT_MS = 600_000
const SLOT_START = 2_900_000 * SLOT_MS
const observedAt = epochMs(SLOT_START + 7.5 * 60_000)
const busy = { requestsPerSlot: 40, failedRatio: 0.25, phaseMs: 4_000, until: observedAt }

describe('request slots', () => {
  it('are 20 whole slots of ten minutes, the current one last', () => {
    const starts = requestSlotsAt(observedAt, busy).map(({ startAt }) => startAt)

    expect(starts).toEqual(
      Array.from({ length: 20 }, (_, index) => SLOT_START - (19 - index) * SLOT_MS),
    )
  })

  it('never change once they are past', () => {
    const now = requestSlotsAt(observedAt, busy)
    const later = requestSlotsAt(epochMs(observedAt + SLOT_MS), {
      ...busy,
      until: epochMs(observedAt + SLOT_MS),
    })

    expect(later.slice(0, 18)).toEqual(now.slice(1, 19))
  })

  it('grow by whole minutes while they are current', () => {
    const at = (minutes: number) => {
      const instant = epochMs(SLOT_START + minutes * 60_000)
      return requestSlotsAt(instant, { ...busy, until: instant }).at(-1)
    }

    expect(at(0)).toMatchObject({ success: 0, failed: 0 })
    expect(at(7.9)).toEqual(at(7))
    expect(at(9)?.success).toBeGreaterThan(at(2)?.success ?? 0)
  })

  it('hold the share of failures', () => {
    for (const { success, failed } of requestSlotsAt(observedAt, busy).slice(0, -1)) {
      expect(failed / (success + failed)).toBeCloseTo(0.25, 1)
    }
  })

  it('are empty after the work has ended', () => {
    const until = epochMs(SLOT_START - SLOT_MS)
    const slots = requestSlotsAt(observedAt, { ...busy, until })

    expect(slots.slice(-2).map(({ success, failed }) => success + failed)).toEqual([0, 0])
    expect(slots.at(-3)?.success).toBeGreaterThan(0)
    expect(lastSuccessIn(slots, until)).toBe(until)
  })

  it('know no last success without one', () => {
    expect(
      lastSuccessIn(requestSlotsAt(observedAt, { ...busy, requestsPerSlot: 0 }), observedAt),
    ).toBeNull()
  })
})
